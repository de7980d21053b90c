// The connections of a download since the page knows it: a sample a second, and what two samples show.
const longest = 600;
const mostStrokes = 500;
const mostEvents = 100;

/// One piece of the file that one connection fetches: its positions over time.
class Stroke {
	constructor(lane, left, end, now) {
		Object.assign(this, { lane, left, end, points: [[now, left]], until: null });
	}

	get last() { return this.points.at(-1); }
	get position() { return this.last[1]; }

	/// Bytes per second over the last seconds.
	get rate() {
		const { last } = this;
		const earlier = this.points.find(([now]) => now >= last[0] - 4);
		return last[0] > earlier[0] ? (last[1] - earlier[1]) / (last[0] - earlier[0]) : 0;
	}
}

export class Trace {
	constructor() {
		this.strokes = [];
		this.open = new Map();
		this.before = [];
		this.events = [];
		this.first = this.last = null;
	}

	/// Adds a download as presented by the daemon; `now` in seconds.
	add({ segments = [], ranges = [], bytesTotal }, now = Date.now() / 1000) {
		const earlier = this.last;
		this.total = bytesTotal;
		if (this.first === null) {
			this.first = now;
			this.before = ranges;
		}
		this.last = now;
		const starts = new Set(segments.map((segment) => segment.start));
		const gone = [...this.open].filter(([start]) => !starts.has(start)).map(([start, stroke]) => this.close(start, stroke, ranges, now));
		for (const segment of segments) {
			const stroke = this.open.get(segment.start);
			if (stroke) {
				stroke.points.push([now, segment.position]);
			} else {
				this.begin(segment, gone, earlier, now);
			}
		}
		// Only now: the end of the segment whose tail was stolen shows from whom.
		for (const segment of segments) this.open.get(segment.start).end = segment.end;
		this.trim();
	}

	close(start, stroke, ranges, now) {
		const isWhole = ranges.some(([from, to]) => from <= stroke.left && to >= stroke.end);
		stroke.points.push([now, isWhole ? stroke.end : stroke.position]);
		stroke.until = now;
		this.open.delete(start);
		return stroke;
	}

	begin(segment, gone, earlier, now) {
		const again = gone.findIndex((other) => segment.start >= other.position && segment.end === other.end);
		const [before] = gone.splice(Math.max(again, 0), 1);
		const lane = before ? before.lane : this.freeLane();
		// Bytes fetched before the page was open are not in this picture.
		const left = earlier === null ? segment.position : segment.start;
		const stroke = new Stroke(lane, left, segment.end, earlier ?? now);
		if (earlier !== null) stroke.points.push([now, segment.position]);
		const owner = again < 0 && [...this.open.values()].find((other) => other.left < segment.start && segment.start < other.end);
		if (owner) {
			stroke.from = { lane: owner.lane, position: before?.position };
			this.note({ now, kind: "took", lane, from: owner.lane, at: segment.start, length: segment.end - segment.start });
		} else if (earlier !== null) {
			this.note({ now, kind: again < 0 ? "began" : "again", lane, at: segment.start });
		}
		this.open.set(segment.start, stroke);
		this.strokes.push(stroke);
	}

	freeLane() {
		const used = new Set([...this.open.values()].map((stroke) => stroke.lane));
		let lane = 0;
		while (used.has(lane)) lane += 1;
		return lane;
	}

	note(event) {
		this.events.push(event);
		if (this.events.length > mostEvents) this.events.shift();
	}

	// Older bytes remain in the picture as bytes that existed before.
	trim() {
		const oldest = this.last - longest;
		this.first = Math.max(this.first, oldest);
		for (const stroke of this.strokes) {
			while (stroke.points.length > 2 && stroke.points[1][0] < oldest) stroke.points.shift();
		}
		while (this.strokes.length && this.strokes[0].until !== null
			&& (this.strokes[0].until < oldest || this.strokes.length > mostStrokes)) {
			const stroke = this.strokes.shift();
			this.before = [...this.before, [stroke.left, stroke.position]];
		}
	}

	/// The active connections, by number.
	get connections() {
		return [...this.open.values()].sort((one, other) => one.lane - other.lane);
	}

	/// Which connection was near a byte at a time: `{lane, position, rate}`, or null.
	at(now, byte) {
		let found = null;
		for (const stroke of this.strokes) {
			const index = stroke.points.findIndex(([time]) => time >= now);
			if (index < 1) continue;
			const [[before, from], [after, to]] = [stroke.points[index - 1], stroke.points[index]];
			const rate = after > before ? (to - from) / (after - before) : 0;
			const position = from + rate * (now - before);
			const distance = byte >= stroke.left && byte <= position ? 0 : Math.abs(byte - position);
			if (!found || distance < found.distance) found = { lane: stroke.lane, position, rate, distance };
		}
		return found;
	}
}
