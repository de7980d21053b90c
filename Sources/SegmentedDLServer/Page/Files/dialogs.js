// Dialogs: the secret, the caps, the keys, and questions.
import { call, secret } from "./api.js";
import { byId, make, say } from "./dom.js";
import { bytes, parseSize } from "./format.js";

/// Shows a form, and returns true if it was confirmed.
function ask(title, confirm, ...content) {
  const dialog = byId("dialog");
  return new Promise((resolve) => {
    const form = make("form", { method: "dialog" }, make("h2", { id: "dialog-title" }, title), ...content,
      make("div", { class: "buttons" },
        make("button", { type: "button", onclick: () => dialog.close("no") }, "Cancel"),
        make("button", { type: "submit", value: "yes", class: "primary" }, confirm)));
    dialog.setAttribute("aria-labelledby", "dialog-title");
    dialog.replaceChildren(form);
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
    dialog.returnValue = "no";
    dialog.showModal();
  });
}

export async function askSecret() {
  const input = make("input", { type: "password", autocomplete: "off", id: "secret" });
  const label = make("label", {}, "The secret of the daemon", input);
  const hint = make("p", { class: "muted" }, "segdl serve prints it at its first start, and keeps it in a file beside the queue.");
  while (!await ask("Enter the secret", "Open", label, hint)) { /* The page is of no use without it. */ }
  secret.set(input.value.trim());
}

export async function confirmRemoval(count) {
  const files = make("input", { type: "checkbox" });
  const isSure = await ask(count === 1 ? "Remove this download?" : `Remove ${count} downloads?`, "Remove",
    make("label", { class: "check" }, make("span", {}, files, " Delete the files, too")));
  return isSure ? { withFiles: files.checked } : null;
}

export async function settings(limits) {
  const field = (label, value, hint) => {
    const input = make("input", { value, placeholder: hint, autocomplete: "off" });
    return { input, label: make("label", {}, label, input) };
  };
  const rate = field("Speed of all downloads (300 KiB, 2 MB …)", limits.bytesPerSecond ? bytes(limits.bytesPerSecond) : "", "no cap");
  const files = field("Files at the same time", limits.activeFiles ?? "", "automatic");
  const all = field("Connections in total", limits.connections, "");
  const host = field("Connections to one server", limits.connectionsPerHost, "");
  if (!await ask("Caps", "Save", rate.label, files.label, all.label, host.label)) return;
  const cap = parseSize(rate.input.value);
  if (cap === undefined) { say(`'${rate.input.value}' is not a speed; write 300 KiB or 2 MB.`); return; }
  const number = (input) => Number(input.value);
  await call("PATCH", "limits", {
    bytesPerSecond: cap || null, activeFiles: files.input.value.trim() ? number(files.input) : null,
    connections: number(all.input), connectionsPerHost: number(host.input),
  }).then(() => say("Saved until the daemon ends.", true), (error) => say(error.message));
}

export function keys() {
  const rows = [["↑ ↓", "another download"], ["Shift ↑ ↓", "choose several"], ["Enter", "details"], ["Space", "pause or resume"],
    ["Delete", "remove"], ["Alt ↑ ↓", "earlier or later in the queue"], ["Ctrl A", "choose all"], ["/", "search"], ["n", "add"],
    ["Esc", "close details"], ["?", "these keys"]];
  const table = make("table", {}, make("tbody", {}, ...rows.map(([key, text]) =>
    make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, text)))));
  return ask("Keys", "Close", table);
}
