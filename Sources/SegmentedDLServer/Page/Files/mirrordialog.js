import { call } from "./api.js";
import { make } from "./dom.js";
import { ask } from "./dialogs.js";
import { nameOf } from "./mirrorwords.js";

/// A directory for a source: its last directory, or its host.
export function proposed(source) {
	const text = source.trim();
	const parts = text.replace(/^[a-z]+:\/\/([^/@]*@)?/i, "").replace(/[?#].*$/, "").split("/").filter(Boolean);
	const isNamed = /^(hf|oci):/i.test(text);
	if (!isNamed && parts.length > 1 && !text.endsWith("/")) parts.pop();
	// Without a revision, a tag or a port.
	return (parts.at(-1) || "").replace(isNamed ? /[@:].*$/ : /:\d+$/, "").replace(/^\.+/, "");
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

/// Asks for a mirror and adds it. Returns it; null if the user cancels.
export async function addMirror(text = "") {
	const field = (label, attributes = {}) => {
		const input = make("input", { ...attributes });
		return { input, label: make("label", {}, label, input) };
	};
	const source = field("Link of the directory, list or bucket", { value: text, placeholder: "https://host/pub/", id: "mirror-source" });
	const directory = field("Directory for the files", { value: proposed(text), id: "mirror-directory" });
	const include = field("Only files like", { placeholder: "all, or *.iso *.sig", id: "mirror-include" });
	const exclude = field("Without files like", { placeholder: "none", id: "mirror-exclude" });
	const deletes = make("input", { type: "checkbox", id: "mirror-deletes" });
	let isProposed = true;
	directory.input.addEventListener("input", () => { isProposed = false; });
	source.input.addEventListener("input", () => { if (isProposed) directory.input.value = proposed(source.input.value); });
	const hint = make("p", { class: "muted" }, "All files of a directory that a server lists, as one line. Run again fetches only what has changed.");
	const fault = make("p", { class: "reason bad", role: "alert", hidden: true });
	for (;;) {
		const isSure = await ask("Mirror a directory", { confirm: "Mirror" }, hint, fault, source.label, directory.label,
			make("div", { class: "pair" }, include.label, exclude.label),
			make("label", { class: "check" }, deletes, " Remove files that the source no longer has"));
		if (!isSure) return null;
		try {
			const { mirror } = await call("POST", "mirrors", { source: source.input.value.trim(), directory: directory.input.value.trim(),
				include: words(include.input.value), exclude: words(exclude.input.value), deletes: deletes.checked });
			return mirror;
		} catch (error) {
			fault.textContent = error.message;
			fault.hidden = false;
		}
	}
}

export function confirmMirrorRemoval(mirror) {
	const about = make("p", { class: "muted" }, `${nameOf(mirror)} is removed from the list. All files are kept in ${mirror.directory}.`);
	return ask("Remove this mirror?", { confirm: "Remove" }, about);
}
