// The digest that a file was compared with, its origin, and the line that repeats it.
import { button, copy, make, say } from "./dom.js";

/// A line for sha256sum -c and similar; names are escaped like in coreutils.
export function sumLine(hex, path) {
	const isPlain = !/[\\\n\r]/.test(path);
	const escaped = path.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
	return isPlain ? `${hex}  ${path}` : `\\${hex}  ${escaped}`;
}

const origins = { request: "was given with the link", list: "stands in the list of checksums", metalink: "stands in the Metalink file" };

const muted = (text) => make("p", { class: "muted" }, text);

const kinds = { openpgp: "OpenPGP" };

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
	const what = digest.parts ? `The ${digest.algorithm} of its ${digest.parts} uploaded parts` : `Its ${digest.algorithm}`;
	const shown = [make("h3", { class: "proved" }, "Verified"), make("p", {}, `${what} is the one that ${named(digest, origin)}.`)];
	if (!digest.isRequested && !digest.isOfOtherHost && !digest.signature) shown.push(muted("This shows that it arrived as the server has it, and not who made it."));
	if (digest.parts) return shown;
	const command = `${digest.algorithm.replace("-", "")}sum -c`;
	const line = sumLine(digest.hex, download.path || download.name);
	const code = make("code", {}, line);
	return [...shown, code, button(`Copy for ${command}`, async () =>
		say(`${await copy(line, code) ? "Copied. Check" : "The line is selected; copy it, and check"} it with: ${command}`, true))];
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
