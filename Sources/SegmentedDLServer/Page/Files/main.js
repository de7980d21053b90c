// Connects the parts of the page.
import { act, follow, secret, tryNow } from "./api.js";
import { offerDirectories, startAdding } from "./add.js";
import { onSchemeChange } from "./canvas.js";
import { Details } from "./details.js";
import { askSecret, confirmRemoval, keys, settings } from "./dialogs.js";
import { byId, button, forget, make, say, setText } from "./dom.js";
import { plural } from "./format.js";
import { Header } from "./header.js";
import { List } from "./list.js";
import { addMirror } from "./mirrordialog.js";
import { Mirrors } from "./mirrors.js";
import { announce } from "./news.js";
import { chosenOffers, offers } from "./offers.js";
import { isRowDragged } from "./row.js";
import { Store } from "./store.js";
import { Trace } from "./trace.js";
import { groups, isActive } from "./words.js";

const filters = [["all", "All"], ["active", "Active"], ["waiting", "Waiting"], ["paused", "Paused"], ["done", "Done"], ["failed", "Failed"]];
const mostTraces = 100;

const traces = new Map();
let limits = null;
let sums = {};

const actions = {
	/// Performs an action on downloads; on those of `state` if no ids are given.
	async run(action, ids, { state } = {}) {
		try {
			const meant = ids || (state === "unfinished" && !store.search ? "all" : await store.idsOf(state));
			if (!meant.length) return;
			const more = action === "remove" ? await confirmRemoval(meant.length, state === "done") : {};
			if (!more) return;
			await act(action, meant, more);
			if (action === "remove" && state) say(`${plural(meant.length, "download")} cleared.`, true);
		} catch (error) {
			say(error.message);
		}
		reload();
	},
	toggle(download, ids) { return this.run(isActive(download) || groups.waiting.includes(download.state) ? "pause" : "retry", ids); },
	move(action, ids, before) { return act(action, ids, before ? { before } : {}).then(reload, (error) => say(error.message)); },
	open(id) {
		const download = store.get(id);
		if (download) details.open(download, traces.get(id));
	},
	/// The keyboard focus moved to another download: open details follow.
	moved(id) { if (details.isOpen) this.open(id); },
	/// Opening the details has selected their download; closing them deselects it.
	closed(id) {
		if (list.chosen.size === 1 && list.chosen.has(id)) list.choose([]);
		showOffers();
	},
	chosenChanged: () => showOffers(),
};

const store = new Store(() => { showEmpty(); list.ask(); });
const list = new List(store, actions);
const details = new Details(actions);
const header = new Header();

const mirrors = new Mirrors(showEmpty);

async function startMirror() {
	const text = byId("urls").value.trim();
	const isLink = /^https?:\/\/\S+$/.test(text);
	const mirror = await addMirror(isLink ? text : "");
	if (!mirror) return;
	if (isLink && byId("urls").value.trim() === text) byId("urls").value = "";
	mirrors.take(mirror);
}

const reload = () => store.reload().catch(() => {});

function showEmpty() {
	const isNew = store.isKnown && store.total === 0 && store.filter === "all" && !store.search && mirrors.isEmpty;
	document.body.classList.toggle("new", isNew);
	byId("empty").hidden = isNew || (store.isKnown && store.total > 0);
	setText(byId("empty"), !store.isKnown ? "Reads the list …" : store.search ? `Nothing has “${store.search}” in its link or name.`
		: store.filter === "all" ? "No downloads." : "No download is in this state.");
}

/// Scrolls to added downloads, if necessary without the filter.
async function reveal(ids) {
	try {
		let place = await store.placeOf(ids[0]);
		if (place < 0) {
			byId("search").value = "";
			choose("all");
			place = await store.placeOf(ids[0]);
		}
		if (place >= 0) list.reveal(place, ids);
	} catch { /* The daemon has gone meanwhile, and the page says so. */ }
}

function showOffers() {
	// The details show their download's actions.
	const isChoosing = list.chosen.size > (details.isOpen ? 1 : 0);
	const offered = isChoosing ? chosenOffers : offers(store.filter, store.search, sums);
	const key = JSON.stringify(offered);
	if (showOffers.shown === key) return;
	showOffers.shown = key;
	const all = offered.map(({ action, label, state }) =>
		button(label, () => actions.run(action, state ? null : [...list.chosen], { state }), { "data-action": action }));
	byId("head").classList.toggle("choosing", isChoosing);
	byId("chosen").hidden = !isChoosing;
	if (isChoosing) {
		all.push(button("Choose all", () => list.span(0, store.total - 1), { class: "quiet" }), button("None", () => list.choose([]), { class: "quiet" }));
	}
	byId("actions").replaceChildren(...all);
}

function showCounts(counts) {
	const sum = (states) => states.reduce((total, state) => total + (counts[state] || 0), 0);
	sums = Object.fromEntries(Object.entries(groups).map(([name, states]) => [name, sum(states)]));
	sums.all = sum(Object.keys(counts));
	for (const [name] of filters) setText(byId(`count-${name}`), sums[name].toLocaleString("en"));
	showOffers();
}

function traceOf(id) {
	if (!traces.has(id)) traces.set(id, new Trace());
	if (traces.size > mostTraces) traces.delete(traces.keys().next().value);
	return traces.get(id);
}

function refreshDetails(id) {
	if (details.id === id) details.show(store.get(id), traces.get(id));
}

function showStatus(status) {
	limits = status.limits;
	header.show(status);
	offerDirectories(status);
	showCounts(status.counts);
	for (const download of status.active) {
		traceOf(download.id).add(download);
		store.take(download);
		refreshDetails(download.id);
	}
	const shown = details.isOpen && store.get(details.id);
	if (shown && shown.state === "retrying") refreshDetails(shown.id);
	for (const mirror of status.mirrors) mirrors.take(mirror);
	list.ask();
}

function choose(filter, search = byId("search").value.trim()) {
	for (const [name] of filters) byId(`filter-${name}`).setAttribute("aria-pressed", String(name === filter));
	list.choose([]);
	list.element.scrollTop = 0;
	store.choose(filter, search).catch((error) => say(error.message));
	showEmpty();
	showOffers();
	list.ask();
}

function startControls() {
	byId("filters").append(...filters.map(([name, label]) =>
		button(label, () => choose(name), { id: `filter-${name}`, "aria-pressed": String(name === "all") })));
	for (const [name] of filters) byId(`filter-${name}`).append(make("span", { class: "count", id: `count-${name}` }));
	let typing = 0;
	byId("search").addEventListener("input", () => {
		clearTimeout(typing);
		typing = setTimeout(() => choose(store.filter), 200);
	});
	byId("settings").addEventListener("click", () => limits && settings(limits));
	byId("add-mirror").addEventListener("click", startMirror);
	byId("help").addEventListener("click", keys);
	byId("message-close").addEventListener("click", () => say(""));
	byId("offline-now").addEventListener("click", tryNow);
	addEventListener("online", tryNow);
	document.addEventListener("visibilitychange", () => { if (!document.hidden) tryNow(); });
	document.addEventListener("keydown", key);
	onSchemeChange(() => { list.ask(true); header.graph.draw(); details.draw(true); });
}

function key(event) {
	if (byId("dialog").open) return;
	if (event.key === "Escape" && details.isOpen) details.close();
	const isTyping = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
	if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
	const number = filters[Number(event.key) - 1];
	if (number) choose(number[0]);
	else if (event.key === "/") byId("search").focus();
	else if (event.key === "n") byId("urls").focus();
	else if (event.key === "m") startMirror();
	else if (event.key === "c") header.edit();
	else if (event.key === "?") keys();
	else return;
	event.preventDefault();
}

let counting = 0;

function showLost(wait) {
	const until = Date.now() + wait;
	const tell = () => {
		const left = Math.round((until - Date.now()) / 1000);
		setText(byId("offline-text"), `The daemon does not answer. The page tries again ${left > 0 ? `in ${left} s` : "now"}.`);
	};
	if (!document.body.classList.contains("lost")) setText(byId("news"), "The daemon does not answer.");
	document.body.classList.add("lost");
	byId("offline").hidden = false;
	header.showLost();
	store.markOld();
	if (details.isOpen) refreshDetails(details.id);
	list.ask();
	clearInterval(counting);
	counting = setInterval(tell, 1000);
	tell();
}

function startFollowing() {
	follow({
		connected() {
			clearInterval(counting);
			if (document.body.classList.contains("lost")) setText(byId("news"), "The daemon answers again.");
			document.body.classList.remove("lost");
			byId("offline").hidden = true;
			forget();
			forget("add");
			reload();
			mirrors.reload().catch(() => {});
		},
		lost: showLost,
		unauthorized: () => askSecret(true),
		status: showStatus,
		download(download) {
			const before = store.take(download);
			announce(download, before);
			if (before !== download.state) reload();
			refreshDetails(download.id);
			list.ask();
		},
		mirror: (mirror) => mirrors.take(mirror),
		mirrorRemoved: ({ id }) => mirrors.remove(id),
		removed({ id }) {
			store.remove(id);
			list.chosen.delete(id);
			traces.delete(id);
			if (details.id === id) details.close();
			reload();
		},
	});
}

secret.takeFromAddress();
startControls();
startAdding(isRowDragged, reveal);
showEmpty();
if (!secret.get()) await askSecret();
startFollowing();
