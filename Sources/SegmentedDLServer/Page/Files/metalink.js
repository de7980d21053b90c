// Metalink 4 (RFC 5854): each file with its name, its digest and its mirrors.
const algorithms = ["sha-512", "sha-384", "sha-256", "sha-224", "sha-1", "md5"];

export const isMetalink = (text) => /^\s*<([\s\S]*<)?metalink[\s>]/.test(text.slice(0, 2000)) && text.includes("urn:ietf:params:xml:ns:metalink");

/// The downloads of a Metalink file; none if it is not one.
export function readMetalink(text) {
	const root = new DOMParser().parseFromString(text, "application/xml");
	if (root.querySelector("parsererror")) return [];
	return [...root.getElementsByTagName("file")].flatMap((file) => {
		const urls = [...file.getElementsByTagName("url")]
			.map((element) => ({ url: element.textContent.trim(), priority: Number(element.getAttribute("priority") || 999_999) }))
			.sort((one, other) => one.priority - other.priority).map((each) => each.url)
			.filter((url) => /^https?:/i.test(url));
		if (!urls.length) return [];
		const hashes = [...file.children].filter((child) => child.localName === "hash");
		const hash = algorithms.map((name) => hashes.find((each) => each.getAttribute("type") === name)).find(Boolean);
		return [{ url: urls[0], mirrors: urls.slice(1), name: file.getAttribute("name"),
			...(hash && { checksum: `${hash.getAttribute("type")}=${hash.textContent.trim()}`, checksumFrom: "metalink" }) }];
	});
}
