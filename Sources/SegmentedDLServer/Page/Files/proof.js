// The proof: the digest that a file was compared with, its origin, and the line that repeats it.
import { button, copy, make, say } from "./dom.js";

/// A line for sha256sum -c and similar; a name with a line break or a backslash is escaped like in coreutils.
export function sumLine(hex, path) {
	const isPlain = !/[\\\n\r]/.test(path);
	const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
	return isPlain ? `${hex}  ${path}` : `\\${hex}  ${escaped}`;
}

const origins = { request: "was given with the link", list: "stands in the list of checksums", metalink: "stands in the Metalink file" };

const muted = (text) => make("p", { class: "muted" }, text);

const kinds = { minisign: "minisign", openpgp: "OpenPGP", cosign: "cosign" };

/// A clause on the origin of a digest.
function named({ isRequested, field, document, signature }, origin) {
	const request = isRequested && (origins[origin] || origins.request);
	return [request, field && `the server sent as ${field}`, document && `is listed in ${document}`,
		signature && `the ${kinds[signature.kind] || signature.kind} key ${signature.key} has signed`].filter(Boolean).join(", and that ");
}

/// The known digests, as the API's proofs. A queue of an earlier version has only those of the request.
function digests(download) {
	const requested = (download.checksums || []).map((each) => ({ ...each, isRequested: true, field: null }));
	return download.state === "completed" && download.proofs?.length ? download.proofs : requested;
}

function verified(digest, download, origin) {
	const limit = digest.isRequested || digest.isOfOtherHost || digest.signature ? null : muted("This shows that it arrived as the server has it, and not who made it.");
	const heading = make("h3", { class: "proved" }, "Verified");
	// No command computes the digest of the digests of an upload's parts.
	if (digest.parts) {
		const whole = digest.parts === 1 ? "its one uploaded part" : `its ${digest.parts} uploaded parts`;
		return [heading, make("p", {}, `The ${digest.algorithm} of ${whole} is the one that ${named(digest, origin)}.`), limit].filter(Boolean);
	}
	const command = `${digest.algorithm.replace("-", "")}sum -c`;
	const line = sumLine(digest.hex, download.path || download.name);
	const code = make("code", {}, line);
	const said = (isCopied) => say(isCopied ? `Copied. Check it with: ${command}` : `The line is selected; copy it, and check it with: ${command}`, true);
	return [heading, make("p", {}, `Its ${digest.algorithm} is the one that ${named(digest, origin)}.`), limit, code,
		button(`Copy for ${command}`, async () => said(await copy(line, code)))].filter(Boolean);
}

/// The known facts about a file's digests. `origin` is that of the request's digest.
export function proof(download, origin) {
	const known = digests(download);
	if (download.state === "completed") {
		if (known.length) return known.flatMap((digest) => verified(digest, download, origin));
		return [make("h3", {}, "Not verified"), muted("No digest was given, and the server sent none. Its length is the one that the server stated.")];
	}
	return known.flatMap((digest) => [make("h3", {}, "Digest that it must have"),
		muted(`The file gets its name only if its ${digest.algorithm} is this one, which ${named(digest, origin)}.`), make("code", {}, digest.hex)]);
}
