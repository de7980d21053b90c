const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function bytes(count) {
	if (count === null || count === undefined) return "–";
	let unit = 0;
	let value = count;
	// The command's format.
	while (value >= (unit ? 1023.5 : 1024) && unit < units.length - 1) { value /= 1024; unit += 1; }
	const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	return `${value.toFixed(digits)} ${units[unit]}`;
}

export const rate = (count) => `${bytes(count)}/s`;

export function duration(seconds) {
	if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
	const whole = Math.max(0, Math.round(seconds));
	if (whole < 60) return `${whole} s`;
	if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
	if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
	return `${Math.floor(whole / 86400)} d ${Math.floor(whole % 86400 / 3600)} h`;
}

export const share = (part, total) => `${Math.floor(part / total * 100)} %`;

export function percent(download) {
	if (download.state === "completed") return "100 %";
	if (download.state === "failed" && !download.bytesCompleted) return "";
	return download.bytesTotal ? share(download.bytesCompleted, download.bytesTotal) : "";
}

export const plural = (count, one, many = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

export const time = (seconds) => (seconds ? new Date(seconds * 1000).toLocaleString() : "");

export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/// A time today as a clock time, an earlier one as a date.
export function moment(seconds) {
	const date = new Date(seconds * 1000);
	const isToday = date.toDateString() === new Date().toDateString();
	return isToday ? `at ${date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`
		: `on ${date.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" })}`;
}

/// Parses 300k, 2.5 MB or 10MiB as bytes; null for none, undefined for text that is not a size.
export function parseSize(text) {
	if (/^\s*(0|no limit|no cap|none)?\s*$/i.test(text)) return null;
	const found = /^\s*([0-9]+(?:[.,][0-9]+)?)\s*([kmgt]?)(?:i?b)?(?:\/s)?\s*$/i.exec(text);
	if (!found) return undefined;
	const power = " kmgt".indexOf((found[2] || " ").toLowerCase());
	return Math.round(Number(found[1].replace(",", ".")) * 1024 ** power) || null;
}
