// The list: the document contains only the visible rows.
import { byId, forget } from "./dom.js";
import { plural } from "./format.js";
import { Row, height } from "./row.js";
import { isEnded } from "./words.js";

export class List {
	constructor(store, actions) {
		this.store = store;
		this.actions = actions;
		this.element = byId("list");
		this.spacer = byId("spacer");
		this.rows = new Map();
		this.chosen = new Set();
		this.current = 0;
		this.fresh = new Set();
		this.revealed = [];
		this.element.addEventListener("scroll", () => this.ask());
		this.element.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.ask()).observe(this.element);
	}

	/// Requests a redraw before the next frame.
	ask(isForced = false) {
		this.isForced ||= isForced;
		if (this.asked) return;
		this.asked = requestAnimationFrame(() => { this.asked = 0; this.draw(); });
	}

	draw() {
		const { store, element } = this;
		this.spacer.style.height = `${store.total * height}px`;
		if (this.revealed[0] < store.total) this.revealed.splice(0).reverse().forEach((place) => this.scrollTo(place));
		const first = Math.max(0, Math.floor(element.scrollTop / height) - 4);
		const last = Math.min(store.total, Math.ceil((element.scrollTop + element.clientHeight) / height) + 4);
		store.visible = [first, Math.max(first, last - 1)];
		this.current = Math.max(0, Math.min(this.current, store.total - 1));
		for (const [place, row] of this.rows) {
			if (place < first || place >= last) { row.element.remove(); this.rows.delete(place); }
		}
		for (let place = first; place < last; place += 1) {
			const row = this.rows.get(place) || this.make(place);
			const download = store.at(place);
			const marks = { isCurrent: place === this.current, isChosen: this.chosen.has(download?.id), isFresh: this.fresh.has(download?.id) };
			row.show(download, marks, store.total, this.isForced);
		}
		this.isForced = false;
		const row = this.rows.get(this.current);
		if (row) element.setAttribute("aria-activedescendant", row.element.id);
		else element.removeAttribute("aria-activedescendant");
		this.showChosen();
	}

	showChosen() {
		const text = this.chosen.size ? `${plural(this.chosen.size, "chosen", "chosen")}` : "";
		if (byId("chosen").textContent !== text) byId("chosen").textContent = text;
		if (this.shownChosen !== this.chosen.size) this.actions.chosenChanged();
		this.shownChosen = this.chosen.size;
	}

	make(place) {
		const row = new Row(place, this);
		this.rows.set(place, row);
		this.element.append(row.element);
		return row;
	}

	/// Scrolls to added downloads, and highlights them for a moment.
	reveal(place, ids) {
		this.fresh = new Set(ids);
		this.revealed = [place, place + ids.length - 1];
		this.current = place;
		setTimeout(() => { this.fresh.clear(); this.ask(); }, 4000);
		this.ask();
	}

	scrollTo(place) {
		const { element } = this;
		const top = place * height;
		if (top < element.scrollTop) element.scrollTop = top;
		if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
	}

	/// The download at a position before which another one can be moved: ended ones have no turn.
	openAt(place) {
		const download = this.store.at(place);
		return download && !isEnded(download) ? download.id : undefined;
	}

	idAt(place) { return this.store.places.get(place); }

	choose(ids) {
		forget();
		this.chosen = new Set(ids);
		this.ask();
	}

	toggle(id) {
		if (!this.chosen.delete(id)) this.chosen.add(id);
		this.ask();
	}

	click(place, event, isMark) {
		const id = this.idAt(place);
		if (!id) return;
		if (event.shiftKey) {
			this.span(this.current, place);
		} else if (isMark || event.ctrlKey || event.metaKey) {
			this.toggle(id);
		} else {
			this.choose([id]);
			this.actions.open(id);
		}
		this.current = place;
		this.ask();
	}

	async span(from, to) {
		const ids = await this.store.ids(Math.min(from, to), Math.max(from, to));
		this.choose([...this.chosen, ...ids]);
	}

	go(place, extends_) {
		const target = Math.max(0, Math.min(place, this.store.total - 1));
		if (extends_) this.span(this.current, target);
		this.current = target;
		this.scrollTo(target);
		const id = this.idAt(target);
		if (!extends_) {
			this.choose(id ? [id] : []);
			if (id) this.actions.moved(id);
		}
		this.ask();
	}

	/// The downloads that a key applies to: the selected ones, or the focused one.
	get meant() {
		const id = this.idAt(this.current);
		return this.chosen.size ? [...this.chosen] : id ? [id] : [];
	}

	key(event) {
		const leap = Math.max(1, Math.floor(this.element.clientHeight / height) - 1);
		const step = { ArrowDown: 1, ArrowUp: -1, PageDown: leap, PageUp: -leap, Home: -Infinity, End: Infinity }[event.key];
		const id = this.idAt(this.current);
		const isCommand = event.ctrlKey || event.metaKey;
		if (step !== undefined && event.altKey && id) this.shift(id, step);
		else if (step !== undefined) this.go(this.current + step, event.shiftKey);
		else if (event.key === "Enter" && id) this.actions.open(id);
		else if (event.key === " " && isCommand && id) this.toggle(id);
		else if (event.key === " " && id) this.actions.toggle(this.store.get(id), this.meant);
		else if (event.key === "Delete" || event.key === "Backspace") this.actions.run("remove", this.meant);
		else if (event.key === "a" && isCommand) this.span(0, this.store.total - 1);
		else if (event.key === "Escape" && this.chosen.size > 1) this.choose([]);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	shift(id, step) {
		const target = this.current + step;
		if (target < 0 && step !== -Infinity) return;
		const before = this.openAt(step > 0 ? target + 1 : target);
		this.current = Math.max(0, Math.min(target, this.store.total - 1));
		if (step === -Infinity) this.actions.move("front", [id]);
		else if (step === Infinity || !before) this.actions.move("back", [id]);
		else this.actions.move("before", [id], before);
		this.element.scrollTop = Math.min(this.element.scrollTop, this.current * height);
	}
}
