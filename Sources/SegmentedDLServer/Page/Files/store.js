// The part of the list that is known. The daemon has the rest: of 10,000 downloads only the visible ones are asked for.
import { call } from "./api.js";

const page = 200;

export class Store {
  constructor(changed) {
    this.changed = changed;
    this.filter = "all";
    this.search = "";
    this.clear();
  }

  clear() {
    this.total = 0;
    this.items = new Map();
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

  placeOf(id) {
    for (const [place, other] of this.places) if (other === id) return place;
    return -1;
  }

  async want(number) {
    if (this.wanted.has(number)) return;
    this.wanted.add(number);
    await this.load(number).catch(() => this.wanted.delete(number));
  }

  async load(number) {
    const [filter, search] = [this.filter, this.search];
    const query = new URLSearchParams({ state: filter, search, offset: number * page, limit: page });
    const answer = await call("GET", `downloads?${query}`);
    if (filter !== this.filter || search !== this.search) return;
    this.total = answer.total;
    this.isKnown = true;
    for (let index = 0; index < page; index += 1) {
      const place = number * page + index;
      const download = answer.downloads[index];
      if (!download) { this.places.delete(place); continue; }
      this.items.set(download.id, { ...this.items.get(download.id), ...download });
      this.places.set(place, download.id);
      this.wanted.add(number);
    }
    this.changed();
  }

  /// Reads the pages again that are known, without emptying the list meanwhile.
  async reload() {
    const numbers = [...this.wanted];
    if (!numbers.includes(0)) numbers.push(0);
    await Promise.all(numbers.map((number) => this.load(number)));
  }

  /// Takes a newer state of a download. Returns true if the list may have another order now.
  take(download) {
    const before = this.items.get(download.id);
    this.items.set(download.id, { ...before, ...download });
    return !before || before.state !== download.state;
  }

  choose(filter, search) {
    [this.filter, this.search] = [filter, search];
    this.clear();
    return this.want(0);
  }
}
