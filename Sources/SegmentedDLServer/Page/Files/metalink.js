// Metalink 4 (RFC 5854) and 3: each file with its name, its digest and its mirrors.
const algorithms = ["sha512", "sha384", "sha256", "sha224", "sha1", "md5"];
const namespaces = ["urn:ietf:params:xml:ns:metalink", "http://www.metalinker.org/"];

export const isMetalink = (text) => /^\s*<([\s\S]*<)?metalink[\s>]/.test(text.slice(0, 2000)) && namespaces.some((each) => text.includes(each));

const type = (hash) => (hash.getAttribute("type") || "").toLowerCase().replace("-", "");

/// The lowest number first; version 3 has preferences up to 100, the highest first.
const priority = (url) => url.hasAttribute("preference") ? 101 - Number(url.getAttribute("preference")) : Number(url.getAttribute("priority") || 999_999);

/// The downloads of a Metalink file; none if it is not one.
export function readMetalink(text) {
	const root = new DOMParser().parseFromString(text, "application/xml");
	if (root.querySelector("parsererror")) return [];
	return [...root.getElementsByTagName("file")].flatMap((file) => {
		const urls = [...file.getElementsByTagName("url")]
			.filter((element) => !/torrent$/i.test(element.getAttribute("type") || ""))
			.map((element) => ({ url: element.textContent.trim(), priority: priority(element) }))
			.sort((one, other) => one.priority - other.priority).map((each) => each.url)
			.filter((url) => /^https?:/i.test(url));
		if (!urls.length) return [];
		const hashes = [...file.children, ...[...file.children].filter((child) => child.localName === "verification").flatMap((child) => [...child.children])]
			.filter((child) => child.localName === "hash");
		const hash = algorithms.map((name) => hashes.find((each) => type(each) === name)).find(Boolean);
		return [{ url: urls[0], mirrors: urls.slice(1), name: file.getAttribute("name"),
			...(hash && { checksum: `${type(hash)}=${hash.textContent.trim()}`, checksumFrom: "metalink" }) }];
	});
}
