// Links in a text: one per line, checksum lists with links, aria2's lists, and letters.
const lengths = { 32: "md5", 40: "sha-1", 56: "sha-224", 64: "sha-256", 96: "sha-384", 128: "sha-512" };
const inText = /https?:\/\/[^\s<>"'`]+/g;

const isLink = (line) => /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(line);

/// A line such as `DIGEST  LINK` or `DIGEST *LINK`.
function withDigest(line) {
	const found = /^([0-9a-f]{32,128})\s+\*?(\S+)$/i.exec(line);
	const algorithm = found && lengths[found[1].length];
	return algorithm && isLink(found[2]) ? { url: found[2], checksum: `${algorithm}=${found[1].toLowerCase()}`, checksumFrom: "list" } : null;
}

/// The indented lines after a link in an aria2 list.
const members = { out: "name", dir: "directory", checksum: "checksum" };

/// The downloads in a text. A single word counts as one, so that the daemon explains why it is none.
export function downloads(text) {
	const found = [];
	const strange = [];
	for (const raw of text.split(/\r?\n/)) {
		const line = raw.trim();
		if (!line || line.startsWith("#")) continue;
		const option = /^\s+([a-z-]+)=(.*)$/.exec(raw);
		if (option && found.length) {
			if (members[option[1]]) found.at(-1)[members[option[1]]] = option[2].trim();
			continue;
		}
		const tabbed = line.split("\t");
		if (isLink(line)) found.push({ url: line });
		else if (tabbed.every(isLink)) found.push({ url: tabbed[0], mirrors: tabbed.slice(1) });
		else if (withDigest(line)) found.push(withDigest(line));
		else if (line.match(inText)) found.push(...line.match(inText).map((url) => ({ url: url.replace(/[.,;:!?)\]}]+$/, "") })));
		else (/^\S+$/.test(line) ? found : strange).push({ url: line });
	}
	return found.length ? found : strange;
}
