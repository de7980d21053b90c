// The available actions: for the selected downloads, or for all that are shown.

const chosen = [["resume", "Resume"], ["pause", "Pause"], ["retry", "Retry"], ["remove", "Remove"]];

/// The actions for all that are shown: `{action, label, state}`; `state` is the group that they apply to.
export function offers(filter, search, sums) {
	const which = search ? "found" : "all";
	const shows = (group) => (filter === "all" || filter === group) && sums[group] > 0;
	const found = [];
	if (shows("active") || shows("waiting")) found.push({ action: "pause", label: `Pause ${which}`, state: filter === "all" ? "unfinished" : filter });
	if (shows("paused")) found.push({ action: "resume", label: `Resume ${which}`, state: "paused" });
	if (shows("failed")) found.push({ action: "retry", label: `Retry ${search ? "found" : "failed"}`, state: "failed" });
	if (shows("done")) found.push({ action: "remove", label: `Clear ${search ? "found" : "done"}`, state: "done" });
	if (filter === "failed" && sums.failed > 0) found.push({ action: "remove", label: `Clear ${search ? "found" : "failed"}`, state: "failed" });
	return found;
}

export const chosenOffers = chosen.map(([action, label]) => ({ action, label }));
