// Connects the parts of the page.
import { act, follow, secret } from "./api.js";
import { startAdding } from "./add.js";
import { Details } from "./details.js";
import { askSecret, confirmRemoval, keys, settings } from "./dialogs.js";
import { byId, make, say, setText } from "./dom.js";
import { bytes, rate } from "./format.js";
import { List } from "./list.js";
import { Trace, drawGraph } from "./pictures.js";
import { Store } from "./store.js";

const filters = [["all", "All"], ["active", "Active"], ["waiting", "Waiting"], ["paused", "Paused"], ["done", "Done"], ["failed", "Failed"]];
const groups = { active: ["probing", "downloading", "verifying", "finalizing"], waiting: ["queued", "retrying"], paused: ["paused"],
  done: ["completed"], failed: ["failed", "cancelled"] };

const traces = new Map();
const speeds = [];
let limits = null;
let reloading = 0;

const actions = {
  async run(action, ids = [...list.chosen]) {
    let chosen = ids;
    if (!chosen.length) {
      if (action === "remove") { say("Choose downloads first."); return; }
      chosen = "all";
    }
    const more = action === "remove" ? await confirmRemoval(chosen.length) : {};
    if (!more) return;
    await act(action, chosen, more).then(() => say(""), (error) => say(error.message));
    if (action === "remove") list.chosen.clear();
    reload();
  },
  toggle(download) { return this.run(["paused", "failed", "cancelled"].includes(download.state) ? "retry" : "pause", [download.id]); },
  move(id, before) { return act("before", [id], { before }).then(reload, (error) => say(error.message)); },
  last(id) { return act("back", [id]).then(reload, (error) => say(error.message)); },
  open(id) {
    const download = store.get(id);
    if (download) details.open(download, traces.get(id));
  },
};

const store = new Store(() => list.ask());
const list = new List(store, actions);
const details = new Details(actions);

function reload() {
  clearTimeout(reloading);
  reloading = setTimeout(() => store.reload().catch(() => {}), 150);
}

function showCounts(counts) {
  const sum = (states) => states.reduce((total, state) => total + (counts[state] || 0), 0);
  for (const [name] of filters) {
    const count = name === "all" ? sum(Object.keys(counts)) : sum(groups[name]);
    setText(byId(`count-${name}`), String(count));
  }
}

function showStatus(status) {
  limits = status.limits;
  setText(byId("speed"), rate(status.bytesPerSecond));
  setText(byId("cap"), limits.bytesPerSecond ? `cap ${rate(limits.bytesPerSecond)}` : "no cap");
  setText(byId("free"), status.directory);
  document.title = status.bytesPerSecond > 0 ? `${rate(status.bytesPerSecond)} – segdl` : "segdl";
  speeds.push(status.bytesPerSecond);
  if (speeds.length > 180) speeds.shift();
  drawGraph(byId("graph"), speeds);
  showCounts(status.counts);
  for (const download of status.active) {
    if (!traces.has(download.id)) traces.set(download.id, new Trace());
    traces.get(download.id).add(download);
    store.take(download);
    if (details.id === download.id) details.show(store.get(download.id), traces.get(download.id));
  }
  list.ask();
}

function choose(filter, search = byId("search").value.trim()) {
  for (const [name] of filters) byId(`filter-${name}`).setAttribute("aria-pressed", String(name === filter));
  list.chosen.clear();
  list.element.scrollTop = 0;
  store.choose(filter, search).catch((error) => say(error.message));
}

function startControls() {
  byId("filters").append(...filters.map(([name, label]) =>
    make("button", { type: "button", id: `filter-${name}`, "aria-pressed": String(name === "all"), onclick: () => choose(name) },
      label, make("span", { class: "count", id: `count-${name}` }, ""))));
  let typing = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => choose(store.filter), 200);
  });
  for (const button of document.querySelectorAll("[data-action]")) {
    button.addEventListener("click", () => actions.run(button.dataset.action));
  }
  for (const id of ["cap", "settings"]) byId(id).addEventListener("click", () => limits && settings(limits));
  byId("help").addEventListener("click", keys);
  document.addEventListener("keydown", (event) => {
    const isTyping = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName) || byId("dialog").open;
    if (event.key === "Escape" && !byId("dialog").open && details.id) details.close();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = { "/": "search", n: "urls" }[event.key];
    if (target) { event.preventDefault(); byId(target).focus(); }
    if (event.key === "?") keys();
  });
}

function startFollowing() {
  const offline = byId("offline");
  follow({
    connected() {
      offline.hidden = true;
      traces.clear();
      store.reload().catch((error) => say(error.message));
    },
    lost(wait) {
      offline.hidden = false;
      setText(offline, `The daemon does not answer. The page tries again ${wait < 2000 ? "now" : `in ${Math.round(wait / 1000)} s`}.`);
    },
    unauthorized: askSecret,
    status: showStatus,
    download(download) {
      if (store.take(download)) reload();
      if (details.id === download.id) details.show(store.get(download.id), traces.get(download.id));
      list.ask();
    },
    removed({ id }) {
      list.chosen.delete(id);
      traces.delete(id);
      if (details.id === id) details.close();
      reload();
    },
  });
}

secret.takeFromAddress();
startControls();
startAdding();
if (!secret.get()) await askSecret();
startFollowing();
