import { call, secret } from "./api.js";
import { byId, button, make, say } from "./dom.js";
import { bytes, parseSize, plural } from "./format.js";

/// Shows a form, and returns true if it was confirmed. Without `cancel` it can only be confirmed.
export function ask(title, { confirm, cancel = "Cancel" }, ...content) {
	const dialog = byId("dialog");
	return new Promise((resolve) => {
		const form = make("form", { method: "dialog", autocomplete: "off" }, make("h2", { id: "dialog-title" }, title), ...content,
			make("div", { class: "buttons" }, cancel && button(cancel, () => dialog.close("no")),
				make("button", { type: "submit", value: "yes", class: "primary" }, confirm)));
		dialog.setAttribute("aria-labelledby", "dialog-title");
		dialog.replaceChildren(form);
		dialog.onclose = () => resolve(dialog.returnValue === "yes");
		dialog.returnValue = "no";
		dialog.showModal();
	});
}

export async function askSecret(isWrong = false) {
	const input = make("input", { type: "password", autocomplete: "current-password", id: "secret" });
	const label = make("label", {}, "The secret of the daemon", input);
	const hint = make("p", { class: "muted" }, isWrong ? "That was not the secret. " : "",
		"Open the address that segdl serve prints, or enter its secret.");
	call("GET", "status").catch(({ file }) => { if (file) hint.append(` It is in the file ${file}.`); });
	while (!await ask("Enter the secret", { confirm: "Open", cancel: null }, hint, label) || !input.value.trim()) { /* The page is of no use without it. */ }
	secret.set(input.value.trim());
}

/// Asks before downloads are removed. Returns null for no, otherwise the members for the action.
export async function confirmRemoval(count, isHistory) {
	const files = make("input", { type: "checkbox" });
	const title = isHistory ? `Clear ${plural(count, "download")} from the list?` : count === 1 ? "Remove this download?" : `Remove ${plural(count, "download")}?`;
	const about = make("p", { class: "muted" }, isHistory ? "Complete files are kept." : "Fetched bytes are kept on the disk unless you choose otherwise.");
	const isSure = await ask(title, { confirm: isHistory ? "Clear" : "Remove" }, about,
		isHistory ? null : make("label", { class: "check" }, files, " Delete the files, too"));
	return isSure ? { withFiles: files.checked } : null;
}

export async function settings(limits) {
	const field = (label, value, placeholder = "") => {
		const fault = make("small", { role: "alert" });
		const input = make("input", { value, placeholder });
		return { input, label: make("label", {}, label, input, fault), say(text) {
			fault.textContent = text;
			input.setAttribute("aria-invalid", Boolean(text));
		} };
	};
	const speed = field("Speed of all downloads (300 KiB, 2 MiB …)", limits.bytesPerSecond ? bytes(limits.bytesPerSecond) : "", "no limit");
	const files = field("Files at the same time", limits.activeFiles ?? "", "automatic");
	const all = field("Connections in total", limits.connections);
	const host = field("Connections to one server", limits.connectionsPerHost);
	const fields = [speed, files, all, host];
	const hint = make("p", { class: "muted" }, "They hold for all downloads at once, and for later starts of the daemon.");
	const fault = make("p", { class: "reason bad", role: "alert", hidden: true });
	// An invalid value leaves the dialog open.
	while (await ask("Settings", { confirm: "Save" }, hint, fault, ...fields.map((each) => each.label))) {
		for (const each of fields) {
			const text = each.input.value.trim();
			const isRight = each === speed ? parseSize(text) !== undefined : /^[1-9][0-9]*$/.test(text) || (each === files && !text);
			each.say(isRight ? "" : each === speed ? `“${text}” is not a speed; write 300 KiB or 2 MiB.` : "Write a number of 1 or more.");
		}
		if (fields.some((each) => each.input.ariaInvalid === "true")) continue;
		const number = ({ input }) => Number(input.value) || null;
		try {
			await call("PATCH", "limits", { bytesPerSecond: parseSize(speed.input.value), activeFiles: number(files),
				connections: number(all), connectionsPerHost: number(host) });
			say("Saved.", true);
			return;
		} catch (error) {
			fault.textContent = error.message;
			fault.hidden = false;
		}
	}
}

const table = [["↑ ↓", "another download"], ["Shift ↑ ↓", "choose several"], ["Ctrl Space", "choose one more, or one less"],
	["Ctrl A", "choose all"], ["Enter", "details"], ["Space", "pause or go on"], ["Delete", "remove"],
	["Alt ↑ ↓", "earlier or later in the queue"], ["Alt Home, End", "first or last in the queue"], ["1 … 6", "filter by state"],
	["/", "search"], ["n", "add links"], ["Ctrl Enter", "add them"], ["m", "mirror a directory"], ["c", "limit the speed"], ["Esc", "close the details"], ["?", "these keys"]];

export function keys() {
	const rows = table.map(([key, text]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", {}, key)), make("td", {}, text)));
	return ask("Keys", { confirm: "Close", cancel: null }, make("table", { class: "keys" }, make("tbody", {}, ...rows)));
}
