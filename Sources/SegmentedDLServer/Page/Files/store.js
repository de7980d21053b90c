// The known part of the list. The daemon has the rest: only visible downloads are requested.
import { call } from "./api.js";
import { isActive } from "./words.js";

const page = 100;
const most = 1000;

export class Store {
	constructor(changed) {
		this.changed = changed;
		this.filter = "all";
		this.search = "";
		this.items = new Map();
		this.visible = [0, 0];
		this.forget();
	}

	forget() {
		this.total = 0;
		this.places = new Map();
		this.wanted = new Set();
		this.isKnown = false;
	}

	at(place) {
		const id = this.places.get(place);
		if (id === undefined) this.want(Math.floor(place / page));
		return id === undefined ? null : this.items.get(id) || null;
	}

	get(id) { return this.items.get(id) || null; }

	async want(number) {
		if (this.wanted.has(number)) return;
		this.wanted.add(number);
		await this.load(number).catch(() => this.wanted.delete(number));
	}

	/// Unfinished downloads come first, followed by ended ones, the latest first.
	ask(state, offset, limit, around = "") {
		return call("GET", `downloads?${new URLSearchParams({ order: "work", state, search: this.search, offset, limit, around })}`);
	}

	/// The position of a download in the list; -1 if the filter excludes it.
	async placeOf(id) {
		const { offset, downloads } = await this.ask(this.filter, 0, page, id);
		const index = downloads.findIndex((download) => download.id === id);
		return index < 0 ? -1 : offset + index;
	}

	async load(number) {
		const [filter, search] = [this.filter, this.search];
		const answer = await this.ask(filter, number * page, page);
		if (filter !== this.filter || search !== this.search) return;
		this.total = answer.total;
		this.isKnown = true;
		for (let index = 0; index < page; index += 1) {
			const place = number * page + index;
			const download = answer.downloads[index];
			if (!download) { this.places.delete(place); continue; }
			this.take(download);
			this.places.set(place, download.id);
		}
		this.changed();
	}

	/// Reads the visible pages again, sequentially, however often it is called.
	async reload() {
		if (this.reloading) { this.again = true; return; }
		this.reloading = true;
		try {
			do {
				this.again = false;
				await this.loadVisible();
				await new Promise((resolve) => setTimeout(resolve, 250));
			} while (this.again);
		} finally {
			this.reloading = false;
		}
	}

	async loadVisible() {
		const [first, last] = this.visible.map((place) => Math.floor(place / page));
		for (const number of this.wanted) {
			if (number >= first && number <= last) continue;
			this.wanted.delete(number);
			for (let place = number * page; place < (number + 1) * page; place += 1) this.places.delete(place);
		}
		for (let number = first; number <= last; number += 1) {
			this.wanted.add(number);
			await this.load(number);
		}
	}

	/// Updates the state of a download. Returns its previous state; undefined for an unknown one.
	take(download) {
		const before = this.items.get(download.id);
		this.items.set(download.id, { ...before, ...download, isOld: false });
		return before?.state;
	}

	/// Marks active downloads: their state is now unknown.
	markOld() {
		for (const download of this.items.values()) download.isOld = isActive(download);
	}

	remove(id) { this.items.delete(id); }

	choose(filter, search) {
		[this.filter, this.search] = [filter, search];
		this.visible = [0, 0];
		this.forget();
		return this.want(0);
	}

	/// The ids between two positions, including those unknown to the page.
	async ids(first, last) {
		const known = [];
		for (let place = first; place <= last && this.places.has(place); place += 1) known.push(this.places.get(place));
		return known.length === last - first + 1 ? known : (await this.idsOf(this.filter)).slice(first, last + 1);
	}

	/// The ids of all downloads in a state that match the search.
	async idsOf(state) {
		const found = [];
		for (let total = 1; found.length < total;) {
			const answer = await this.ask(state, found.length, most);
			if (!answer.downloads.length) break;
			total = answer.total;
			found.push(...answer.downloads.map((download) => download.id));
		}
		return found;
	}
}
