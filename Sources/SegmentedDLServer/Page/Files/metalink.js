// Metalink 4 (RFC 5854) and 3: each file with its name, its digest and its mirrors.
const algorithms = ["sha512", "sha384", "sha256", "sha224", "sha1", "md5"];

export const isMetalink = (text) => /^\s*<([\s\S]*<)?metalink[\s>]/.test(text.slice(0, 2000)) && /:ns:metalink|metalinker\.org/.test(text);

const attribute = (element, name) => element.getAttribute(name) || "";
const type = (element) => attribute(element, "type").toLowerCase().replace("-", "");

// The lowest first; version 3 has preferences up to 100.
const priority = (url) => url.hasAttribute("preference") ? 101 - attribute(url, "preference") : attribute(url, "priority") || 1e6;

/// The downloads of a Metalink file; none if it is not one.
export function readMetalink(text) {
	const root = new DOMParser().parseFromString(text, "application/xml");
	if (root.querySelector("parsererror")) return [];
	return [...root.getElementsByTagName("file")].flatMap((file) => {
		const urls = [...file.getElementsByTagName("url")].filter((url) => !type(url).endsWith("torrent"))
			.sort((one, other) => priority(one) - priority(other))
			.map((url) => url.textContent.trim()).filter((url) => /^https?:/i.test(url));
		if (!urls.length) return [];
		const hashes = [...file.querySelectorAll(":scope > hash, :scope > verification > hash")];
		const hash = algorithms.map((name) => hashes.find((each) => type(each) === name)).find(Boolean);
		return [{ url: urls[0], mirrors: urls.slice(1), name: file.getAttribute("name"),
			...(hash && { checksum: `${type(hash)}=${hash.textContent.trim()}`, checksumFrom: "metalink" }) }];
	});
}
