// SPDX-License-Identifier: Apache-2.0
// The page that a run is stepped through on. All that it says was worked out before and stands in the data: the events
// (steps) of each run and what every host is after each of them. This script, behind diagram.js, shows that.
let data;           // what the page is about
let view = null;    // {key, runs, charts}: the run, or the two, that are shown
let current = 0;    // the step of the first run that is shown
let quiz = null;    // {number, answered, right, seen}: the question being asked; steps up to `seen` were asked about
let playing = null; // the timer that steps on
let naming = null;  // the timer that writes the event into the address

// ---- the panel

/** Simulated clocks begin at 0, unless their host's is set otherwise. */
function clockText(run, host, at, first) {
  const [wall, mono] = host.clocks, off = (now, then) => {
    const by = now - then;
    return Math.abs(by) < 1000 ? "" : ` (${by > 0 ? "+" : "−"}${seconds(Math.abs(by))})`;
  };
  const day = () => new Date(Math.floor((wall + at) / 1000)).toISOString().slice(11, 23) + " UTC";
  const shown = run.real ? day() : seconds(wall + at);
  const monotonic = seconds(mono + at) + off(mono, first.clocks[1]);
  return `wall clock ${shown}${off(wall, first.clocks[0])} · monotonic ${monotonic}`;
}

function keyText(run, key, owner, left) {
  const whose = make("b", { className: colourOf(run, run.hosts.findIndex((host) => host.name === owner)) });
  whose.textContent = owner ? owner + "’s" : "nobody’s";
  const time = left === null ? ", with no end" : `, ${seconds(left)} left`;
  return make("li", {}, make("code", {}, key), " is ", whose, time);
}

function card(run, i, h) {
  const spec = run.hosts[h], state = run.states[i], host = state.hosts[h];
  const inside = state.inside.includes(h), classes = ["host", spec.kind, colourOf(run, h)];
  if (inside) classes.push("in");
  if (host.bar === "late" || (inside && state.crowded)) classes.push("bad");
  if (/dead|down/.test(host.is)) classes.push("off");
  const is = make("span", { className: "is" + (/^(running|up)$/.test(host.is) ? "" : " struck") }, host.is);
  const node = make("section", { className: classes.join(" "), "aria-label": spec.name },
                    make("h3", {}, spec.name, " ", is, inside ? make("span", { className: "badge" }, "inside") : null));
  if (host.says) node.append(make("p", {}, host.says));
  if (host.keys && host.keys.length) node.append(make("ul", {}, ...host.keys.map((key) => keyText(run, ...key))));
  else if (host.keys) node.append(make("p", {}, "has no key"));
  const clocks = clockText(run, host, run.steps[i].at, run.states[0].hosts[h]);
  if (spec.kind !== "resource") node.append(make("p", { className: "clocks" }, clocks));
  return node;
}

/** What has just happened in a run. */
function nowText(run, i) {
  const step = run.steps[i], told = run.verdicts.filter((one) => one.steps.at(-1) === i);
  return [make("h2", {}, make("span", { className: "at" }, seconds(step.at, 6)), " ",
               make("b", { className: colourOf(run, step.host) }, run.hosts[step.host].name), " " + step.text),
          ...told.map((one) => make("p", { className: "bad" }, `${one.name}: ${one.what}`)),
          run.cause.has(i) ? make("p", { className: "cause" }, run.cause_text) : ""];
}

/** Who is really inside, whose the lock is, and where belief and truth part. */
function truthText(run, i) {
  const state = run.states[i], names = state.inside.map((h) => run.hosts[h].name).join(" and ");
  return make("div", { className: "truth" + (state.partings.some(([bad]) => bad) ? " parted" : "") },
    make("p", {}, make("b", {}, "Really inside: "), names || "nobody"),
    make("p", {}, make("b", {}, "The lock, by the servers: "), state.holder ? state.holder + "’s" : "nobody’s"),
    make("ul", {}, ...state.partings.map(([bad, text]) => make("li", { className: bad ? "bad" : "" }, text))));
}

function drawPanel() {
  const at = (which) => (which ? view.pairing.at(current) : current), several = view.runs.length > 1;
  $("now").replaceChildren(...nowText(view.runs[0], current));
  $("world").replaceChildren(...view.runs.flatMap((run, which) => [
    several ? make("h2", { className: "world" }, `${run.label}, ${seconds(run.steps[at(which)].at, 6)}`) : "",
    truthText(run, at(which)), ...run.hosts.map((_, h) => card(run, at(which), h))]));
}

// ---- moving about

/** The last step that may be shown: while questions are asked, the one at which the next of them stops. */
function latest() {
  const run = view.runs[0], next = quiz && run.asks[quiz.number + Number(quiz.answered)];
  return next ? next.stop : run.steps.length - 1;
}

function go(i, scroll = true) {
  const run = view.runs[0];
  current = Math.max(0, Math.min(latest(), i));
  document.body.classList.toggle("asking", Boolean(quiz) && current > quiz.seen);
  view.charts[0].select(current, scroll);
  if (view.charts[1]) view.charts[1].select(view.pairing.at(current), scroll);
  $("slider").value = current;
  $("slider").setAttribute("aria-valuetext", `${run.hosts[run.steps[current].host].name} ${run.steps[current].text}`);
  $("place").value = `${current + 1} of ${run.steps.length}`;
  drawPanel();
  clearTimeout(naming);  // browsers refuse an address that changes hundreds of times while somebody draws the mouse
  naming = setTimeout(() => history.replaceState(null, "", `#${view.key}/${view.runs[0].steps[current].id}`), 150);
}

function toViolation() {
  const bad = [...view.runs[0].bad].sort((a, b) => a - b);
  if (bad.length) go(bad.find((i) => i > current) ?? bad[0]);
}

function play(on) {
  clearInterval(playing);
  const stepOn = () => (current < latest() ? go(current + 1) : play(false));
  playing = on ? setInterval(stepOn, 700) : null;
  $("play").setAttribute("aria-pressed", on);
  $("play").textContent = on ? "Stop" : "Play";
}

// ---- being asked

function ask(number) {
  const run = view.runs[0], one = run.asks[number], before = run.asks[number - 1];
  quiz = { number, answered: false, right: quiz ? quiz.right : 0, seen: before ? before.step : -1 };
  document.body.classList.add("quizzing");
  $("quiz").setAttribute("aria-pressed", "true");
  const answers = one.choices.map((text, i) => make("button", { onclick: () => answer(i) }, text));
  $("question").replaceChildren(make("p", { className: "count" }, `Question ${number + 1} of ${run.asks.length}`),
                                make("p", { className: "ask" }, one.ask), make("div", {}, ...answers));
  $("question").hidden = false;
  view.charts[0].veil(latest());
  go(one.stop);
  answers[0].focus();
}

function answer(choice) {
  const run = view.runs[0], one = run.asks[quiz.number], right = choice === one.right;
  const last = quiz.number + 1 === run.asks.length;
  quiz.answered = true;
  quiz.seen = last ? Infinity : one.step;
  quiz.right += right;
  const on = make("button", { onclick: () => (last ? stopAsking() : ask(quiz.number + 1)) },
                  last ? "To the whole run" : "Next question");
  const told = `${right ? "Yes, that is it" : "No"}: ${one.choices[one.right]}.`;
  $("question").replaceChildren(make("p", { className: "ask" }, one.ask),
    make("p", { className: right ? "right" : "wrong", role: "status" }, told),
    make("p", {}, one.why), last ? make("p", {}, `${quiz.right} of ${run.asks.length} answers were right.`) : "", on);
  view.charts[0].veil(latest());
  go(one.step);
  on.focus();
}

function stopAsking() {
  quiz = null;
  document.body.classList.remove("quizzing");
  $("quiz").setAttribute("aria-pressed", "false");
  $("question").hidden = true;
  view.charts.forEach((chart) => chart.veil(chart.y.length));
  go(current);
}

/** A page of a lesson asks from the start; whoever comes back to an event is asked what comes after it. */
function askFirst() {
  const next = view.runs[0].asks.findIndex((one) => one.stop >= current);
  if (next >= 0) ask(next);
}

// ---- which run is shown

/** In a comparison: the step of the second run that goes with a step of the first, or the nearest before it. */
class Pairing {
  constructor(pairs) { this.pairs = pairs; }
  at(i) { return (this.pairs.findLast(([a]) => a <= i) || this.pairs[0] || [0, 0])[1]; }
  back(j) { return (this.pairs.findLast(([, b]) => b <= j) || this.pairs[0] || [0, 0])[0]; }
}

const runOf = (key) => data.runs.find((one) => one.key === key);
const comparisonOf = (key) => data.comparisons.find((one) => one.key === key);

/** `where`: the name of an event, or a world time in microseconds. */
function show(key, where) {
  play(false);
  const comparison = comparisonOf(key), asked = view && !view.pairing && view.runs[0].key;
  const runs = (comparison ? comparison.runs : [runOf(key) ? key : data.runs[0].key]).map(runOf).map(expand);
  document.body.classList.toggle("comparing", Boolean(comparison));
  const room = $("diagrams").clientWidth / runs.length, texts = room > 520;
  view = { key: comparison ? key : runs[0].key, runs, pairing: comparison && new Pairing(comparison.pairs) };
  view.charts = runs.map((run) => new Chart(run, room, texts));
  $("diagrams").replaceChildren(...view.charts.map((chart, c) =>
    comparison ? make("div", {}, make("h2", {}, runs[c].label), chart.body) : chart.body));
  if (comparison) markUnpaired(comparison);
  view.charts.forEach((chart, c) => listen(chart, c));
  drawHead(runs[0], comparison);
  drawWhatIf();
  if (quiz && !comparison && runs[0].key === asked) view.charts[0].veil(latest());
  else if (quiz) stopAsking();
  const found = typeof where === "number" ? runs[0].steps.findLastIndex((step) => step.at <= where)
                                          : runs[0].steps.findIndex((step) => step.id === where);
  go(found);
}

function listen(chart, which) {
  const to = (i, scroll) => go(which ? view.pairing.back(i) : i, scroll);
  let drawn = false;
  chart.body.onpointerdown = (event) => { drawn = event.pointerType === "mouse" && event.button === 0; };
  chart.body.onpointermove = (event) => { if (drawn && event.buttons) to(chart.nearest(event.clientY), false); };
  chart.body.onclick = (event) => to(chart.nearest(event.clientY));
}

function drawHead(run, comparison) {
  $("title").title = data.title;
  $("about").textContent = comparison ? data.algorithm : `${data.algorithm} · ${run.about}`;
  const broken = run.verdicts.filter((one) => one.verdict === "violated"), groups = new Map();
  for (const one of run.verdicts.filter((one) => one.verdict !== "violated" && one.judged))
    groups.set(one.verdict, [...(groups.get(one.verdict) || []), one.name]);
  const others = [...groups].map(([verdict, names]) => `${verdict}: ${names.join(", ")}`);
  const sign = (className, words, step, title) =>
    make("button", { className, title, disabled: !(step >= 0), onclick: () => go(step) }, words);
  $("verdicts").replaceChildren(
    ...broken.map((one) => sign("bad", `✗ ${one.name}`, one.steps.at(-1), one.what)),
    run.cause_text ? sign("cause", "the cause", run.cause_steps[0], run.cause_text) : "",
    make("span", { className: "others", title: others.join("\n") },
         [...groups].map(([verdict, names]) => `${names.length} × ${verdict}`).join(" · ")));
  const sentences = [...broken.map((one) => ["bad", `${one.name} violated: ${one.what}`]),
                     ["cause", run.cause_text], ...others.map((text) => ["", text]),
                     ["", run.left_out ? `${run.left_out} events are left out.` : ""]];
  $("sentences").replaceChildren(...sentences.map(([className, text]) => (text ? make("p", { className }, text) : "")));
  $("lock").textContent = run.lock;
  $("scenario").textContent = run.scenario;
  $("reproduce").replaceChildren(...(run.reproduce ? ["To run it again: ", make("code", {}, run.reproduce)] : []));
  const tab = (key, label) =>
    make("button", { onclick: () => show(key, 0), "aria-pressed": String(key === view.key) }, label);
  const switches = make("button", { onclick: () => $("what-if").scrollIntoView() }, "What if …");
  const tabs = [...data.runs.filter((one) => one.tab).map((one) => tab(one.key, one.label)),
                ...data.comparisons.map((one) => tab(one.key, one.label)),
                ...(data.what_if && !comparison ? [switches] : [])];
  $("views").replaceChildren(...(tabs.length > 1 ? tabs : []));
  for (const id of ["first", "back", "next", "last", "play"]) $(id).disabled = run.steps.length < 2;
  $("violation").disabled = run.bad.size === 0;
  $("quiz").disabled = Boolean(comparison) || run.asks.length === 0;
  $("slider").max = run.steps.length - 1;
}

/** Marks what only one of two runs has, and says in words where they differ. */
function markUnpaired(comparison) {
  view.charts.forEach((chart, c) => {
    const paired = new Set(comparison.pairs.map((pair) => pair[c]));
    chart.rows.forEach((row, i) => row.classList.toggle("alone", !paired.has(i)));
  });
  comparison.unlike.forEach((pair) => pair.forEach((i, c) => view.charts[c].rows[i].classList.add("unlike")));
  const said = comparison.says.map((text) => make("li", {}, text));
  $("differences").replaceChildren(make("h2", {}, "Where they differ"), make("ul", {}, ...said));
}

// ---- what if

function drawWhatIf() {
  const what = data.what_if, chosen = what && what.runs.find((one) => one.key === view.key);
  $("differences").hidden = !comparisonOf(view.key);
  $("what-if").hidden = !chosen;
  if (!chosen) return;
  const result = (mask, lease) => what.runs.find((one) => one.mask === mask && one.lease === lease);
  const pick = (mask, lease) => show(result(mask, lease).key || view.key, view.runs[0].steps[current].at);
  const faults = what.faults.map((text, f) => make("label", {}, make("input", {
    type: "checkbox", checked: Boolean(chosen.mask & (1 << f)), "data-switch": "fault" + f,
    onchange: (event) => refocus(event, () => pick(chosen.mask ^ (1 << f), chosen.lease)) }), " " + text));
  const leases = what.leases.map((text, l) => make("label", {}, make("input", {
    type: "radio", name: "lease", checked: chosen.lease === l, "data-switch": "lease" + l,
    onchange: (event) => refocus(event, () => pick(chosen.mask, l)) }), " " + text));
  const cell = (mask, l) => {
    const one = result(mask, l);
    return make("td", {}, make("button", {
      className: one.broken ? "bad" : "", disabled: !one.key, "data-switch": `${mask}.${l}`,
      "aria-pressed": String(one === chosen), onclick: (event) => refocus(event, () => pick(mask, l)) }, one.says));
  };
  const rows = [...Array(1 << what.faults.length).keys()].map((mask) => make("tr", {},
    make("th", { scope: "row" }, what.faults.filter((_, f) => mask & (1 << f)).join("; ") || "no fault"),
    ...what.leases.map((_, l) => cell(mask, l))));
  const heads = what.leases.map((text) => make("th", { scope: "col" }, text));
  $("what-if").replaceChildren(make("h2", {}, "What if …"),
    make("fieldset", {}, make("legend", {}, "these faults strike"), ...(faults.length ? faults : ["it has none"])),
    what.leases.length > 1 ? make("fieldset", {}, make("legend", {}, "the lease is"), ...leases) : "",
    make("div", { className: "outcomes" }, make("table", {}, make("caption", {}, what.caption),
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "faults"), ...heads)),
      make("tbody", {}, ...rows))));
}

/** A switch makes the page anew; the one that was used keeps the focus. */
function refocus(event, change) {
  const name = event.currentTarget.dataset.switch;
  change();
  $("what-if").querySelector(`[data-switch="${name}"]`)?.focus();
}

// ---- keys, themes, and the beginning

const KEYS = {
  ArrowDown: () => go(current + 1), ArrowRight: () => go(current + 1), PageDown: () => go(current + 10),
  ArrowUp: () => go(current - 1), ArrowLeft: () => go(current - 1), PageUp: () => go(current - 10),
  Home: () => go(0), End: () => go(view.runs[0].steps.length),
  v: toViolation, q: () => $("quiz").click(), " ": () => play(!playing),
};

function onKey(event) {
  const control = event.target.closest?.("button, input, summary, a");
  const arrow = event.key.startsWith("Arrow"), moves = control && ["range", "radio"].includes(control.type);
  const its = control && (arrow ? moves : event.key === " ");  // the control does something else with this key
  if (its || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
}

const SIGNS = [
  ["inside", "a client is inside"], ["late", "… and its own clock says that its lease is over"],
  ["key", "the lock's key on a server, in its owner's colour"], ["still paused", "stands still"],
  ["still down", "down, or dead"], ["still cut", "cut off"], ["overlap", "two are inside at once"],
  ["mark bad", "what breaks a property"], ["mark fault", "a fault strikes"]];

function drawLegend() {
  for (const [kind, words] of SIGNS) {
    const sign = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    sign.setAttribute("width", 22); sign.setAttribute("height", 18); sign.setAttribute("aria-hidden", "true");
    if (kind === "mark fault") draw(sign, "path", { class: kind, d: star(11, 9, 8) });
    else if (kind === "mark bad") draw(sign, "circle", { class: kind, cx: 11, cy: 9, r: 6 });
    else draw(sign, "rect", { class: kind + " client0", x: 5, y: 1, width: 13, height: 16 });
    $("signs").append(make("dt", {}, sign), make("dd", {}, words));
  }
}

function fromAddress() {
  const [key, id] = decodeURIComponent(location.hash.slice(1)).split("/");
  show(quiz ? view.key : key || data.runs[0].key, id);
}

async function begin() {
  data = await unpack($("data").textContent);
  const click = {
    first: KEYS.Home, back: KEYS.ArrowUp, next: KEYS.ArrowDown, last: KEYS.End, play: KEYS[" "], violation: toViolation,
    quiz: () => (quiz ? stopAsking() : ask(0)), theme: turnTheme };
  for (const [id, act] of Object.entries(click)) $(id).onclick = act;
  $("slider").oninput = (event) => go(+event.target.value);
  addEventListener("keydown", onKey);
  addEventListener("hashchange", fromAddress);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    show(view.key, view.runs[0].steps[current].id);
  });
  drawLegend();
  fromAddress();
  if (data.asks_first && !view.pairing) askFirst();
  document.body.classList.add("ready");
}

begin().catch((problem) => {
  $("diagrams").textContent = `This page needs a browser of 2024 or later (${problem.message}).`;
});
