// SPDX-License-Identifier: Apache-2.0
// The page that walks through every state of a small space. The data have the states, what could happen next in each,
// and what each leads to; this script, behind elements.js, keeps the way that was taken and shows where it has led.
let data;           // see walk_data.py
let start = 0;      // of data.starts
let way = [];       // the events that were taken, by number
let hidden = new Set();  // hosts
let naming = null;  // the timer that writes the way into the address

const stateAfter = (taken) => (taken.length ? data.events[taken.at(-1)].to : data.starts[start]);
const here = () => data.states[stateAfter(way)];
const eventsOf = (state) => state.next.map((number) => data.events[number]);

/** Properties that have been broken on the way, each with the number of events after which it was. */
function brokenOn(taken) {
  const broken = new Map(), add = (names, i) => names.forEach((name) => broken.has(name) || broken.set(name, i));
  taken.forEach((number, i) => add(data.events[number].broken, i + 1));
  const last = data.states[stateAfter(taken)];
  if (last.ends) add(last.broken, taken.length);
  return broken;
}

// ---- what is shown

function hostName(h) {
  return h < 0 ? "" : make("b", { className: colourOf(data, h) }, data.hosts[h].name);
}

/** What can come of a state, in words: [class, text]. */
function fateText(state) {
  const [nearest] = Object.values(state.far).sort((a, b) => a[0] - b[0]);
  if (state.fate === "safe") return ["safe", "From here nothing can break."];
  const how = nearest && nearest[0] > 0 ? `the nearest is ${events(nearest[0])} away` : "it is here";
  if (state.fate === "lost") return ["bad", `A violation can no longer be avoided: ${how}.`];
  return ["open", `A violation can follow, and can still be avoided: ${how}.`];
}

const events = (count) => (count === 1 ? "1 event" : `${count} events`);

/** The badge of a choice: what it breaks, or what it leads to. */
function badge(event) {
  const sign = (kind, text) => make("span", { className: "badge " + kind }, text);
  if (event.broken.length) return sign("lost", `breaks ${event.broken.join(", ")}`);
  const to = data.states[event.to], from = data.states[event.from];
  if (to.fate === "lost" && from.fate !== "lost") return sign("lost", "no way back");
  return to.fate === "safe" && from.fate !== "safe" ? sign("safe", "nothing can break after it") : null;
}

/** When a choice comes, and what it is besides: those that differ in their time alone are one row. */
function timed(number) {
  const event = data.events[number], [first, ...rest] = event.told, later = /^([\d.]+ s) later$/.exec(first || "");
  const told = later ? rest : event.told;
  return { number, when: later ? later[1] : "at once", told, row: JSON.stringify([event.host, event.name, told]) };
}

function rowsOf(numbers, from) {
  const rows = new Map();
  numbers.map(timed).forEach((one) => rows.set(one.row, [...(rows.get(one.row) || []), one]));
  let place = from;
  const next = () => place++;
  return [...rows.values()].map((row) => (row.length < 2 ? choice(row[0].number, next()) : timesOf(row, next)));
}

/** One event at several times. */
function timesOf(row, place) {
  const event = data.events[row[0].number];
  const times = row.map(({ number, when }) => {
    const className = "choice" + (way.includes(number) ? " visited" : "");
    return make("button", { className, onclick: () => take(number) }, keyOf(place()), when, badge(data.events[number]));
  });
  const what = make("span", { className: "what" }, hostName(event.host), ` ${nameOf(event)}, after`);
  return make("li", { className: "times" }, what,
    make("span", { className: "told" }, row[0].told.join(" · ")), make("span", { className: "row" }, ...times));
}

const keyOf = (place) => make("kbd", {}, place < 9 ? String(place + 1) : "·");

function choice(number, place) {
  const event = data.events[number], className = "choice" + (way.includes(number) ? " visited" : "");
  const told = event.told.filter((text) => text !== event.name);
  return make("li", {}, make("button", { className, onclick: () => take(number) }, keyOf(place),
    make("span", { className: "what" }, hostName(event.host), ` ${nameOf(event)}`), badge(event),
    told.length ? make("span", { className: "told" }, told.join(" · ")) : null));
}

/** The event's name without its host's, which stands before it. */
function nameOf(event) {
  const host = event.host < 0 ? "" : data.hosts[event.host].name + " ";
  return event.name.startsWith(host) ? event.name.slice(host.length) : event.name;
}

function drawChoices() {
  const state = here(), shown = state.next.filter((number) => !hidden.has(data.events[number].host));
  const others = state.next.filter((number) => hidden.has(data.events[number].host));
  $("next").replaceChildren(...rowsOf(shown, 0));
  $("of-hidden").hidden = others.length === 0;
  $("of-hidden-count").textContent = `${events(others.length)} of hidden hosts`;
  $("next-hidden").replaceChildren(...rowsOf(others, shown.length));
  const ended = state.ends ? "Nothing can happen any more: the schedule has ended." : "Nothing more was searched here.";
  $("end").textContent = state.next.length ? "" : ended;
}

/** A line without what passing time alone changes. */
const timeless = (text) => text.replace(/, [\d.]+ s left$/, "");

/** Lines of a host, and those that the last event has ended. */
function card(h, before) {
  const host = data.hosts[h], lines = data.facts[here().facts[h]], was = before ? data.facts[before.facts[h]] : lines;
  const old = was.map(timeless), now = lines.map(timeless);
  const inside = here().inside.includes(host.name);
  const rows = [...lines.map((text) => {
    const fresh = !old.includes(timeless(text));
    const sign = fresh ? make("span", { className: "sign" }, "new ") : null;
    return make("li", { className: fresh ? "fresh" : "" }, sign, text);
  }), ...was.filter((text) => !now.includes(timeless(text))).map((text) =>
    make("li", { className: "gone" }, make("span", { className: "sign" }, "was "), make("s", {}, text)))];
  const classes = ["host", host.kind, colourOf(data, h)];
  if (inside && here().inside.length > 1) classes.push("bad");
  if (rows.some((row) => row.className)) classes.push("changed");
  return make("section", { className: classes.join(" "), "aria-label": host.name },
    make("h3", {}, host.name, inside ? make("span", { className: "badge" }, "inside") : null),
    rows.length ? make("ul", {}, ...rows) : make("p", {}, host.kind === "server" ? "has no key" : "nothing yet"));
}

function drawWay() {
  const rows = way.map((number, i) => {
    const event = data.events[number], after = () => go(start, way.slice(0, i + 1));
    return [make("li", { className: hidden.has(event.host) ? "dim" : "" },
      make("button", { onclick: after, className: event.broken.length ? "bad" : "", title: event.told.join("\n"),
                       "aria-current": i + 1 === way.length ? "step" : "false" },
           hostName(event.host), ` ${nameOf(event)}`,
           event.broken.length ? make("span", { className: "badge lost" }, event.broken.join(", ")) : null))];
  }).flat();
  $("way").replaceChildren(...rows);
  $("way-length").textContent = way.length ? events(way.length) : "nothing has happened yet";
}

function drawFate() {
  const broken = [...brokenOn(way)], [kind, text] = fateText(here());
  const told = broken.map(([name, i]) => make("p", { className: "bad" }, `Broken on this way: ${name} (event ${i})`));
  $("fate").className = broken.length ? "bad" : kind;
  const more = broken.length && kind !== "safe" ? "More can break from here." : text;
  $("fate").replaceChildren(...told, make("p", {}, more));
  const known = new Set(broken.map(([name]) => name));
  $("targets").replaceChildren(...data.properties.map((name) => {
    const far = here().far[name], open = far && far[1] >= 0 && !known.has(name);
    const how = known.has(name) ? "broken" : open ? events(far[0]) : "cannot break from here";
    return make("button", { className: "bad", disabled: !open, title: "one event of the shortest way to it (v)",
                            onclick: () => toward(name) }, `${name}: ${how}`);
  }));
}

function drawHosts() {
  const before = way.length ? data.states[stateAfter(way.slice(0, -1))] : null;
  const shown = data.hosts.map((_, h) => h).filter((h) => !hidden.has(h));
  $("world").replaceChildren(...shown.map((h) => card(h, before)));
  $("hosts").replaceChildren(...data.hosts.map((host, h) => make("label", { className: colourOf(data, h) },
    make("input", { type: "checkbox", checked: !hidden.has(h), onchange: () => toggle(h) }), " " + host.name)));
}

function draw() {
  drawChoices();
  drawFate();
  drawHosts();
  drawWay();
  $("back").disabled = $("first").disabled = way.length === 0;
  $("place").textContent = `state ${stateAfter(way) + 1} of ${data.states.length}`;
  clearTimeout(naming);
  naming = setTimeout(() => history.replaceState(null, "", "#" + address()), 150);
}

// ---- moving about

function go(from, taken) {
  start = from;
  way = taken;
  draw();
}

const take = (number) => go(start, [...way, number]);
const back = () => go(start, way.slice(0, -1));

/** One step of the shortest way to what breaks that property, or the nearest one that is not broken yet. */
function toward(name) {
  const known = brokenOn(way), far = here().far;
  const can = (one) => !known.has(one) && far[one] && far[one][1] >= 0 && (!name || one === name);
  const [next] = data.properties.filter(can).sort((a, b) => far[a][0] - far[b][0]);
  if (next) take(far[next][1]);
}

function toggle(h) {
  if (!hidden.delete(h)) hidden.add(h);
  const box = [...$("hosts").querySelectorAll("input")].indexOf(document.activeElement);
  draw();
  if (box >= 0) $("hosts").querySelectorAll("input")[box].focus();
}

function nextStart(by) {
  go((start + by + data.starts.length) % data.starts.length, []);
}

// ---- the address: the beginning, the choice in each state on the way, and the hidden hosts

function address() {
  let state = data.states[data.starts[start]];
  const choices = way.map((number) => {
    const place = state.next.indexOf(number);
    state = data.states[data.events[number].to];
    return place.toString(36);
  });
  return `${start}/${choices.join(".")}${hidden.size ? "/" + [...hidden].join(".") : ""}`;
}

/** As far as the address leads; what it says of another page leads nowhere. */
function fromAddress() {
  const [from, choices, hosts] = decodeURIComponent(location.hash.slice(1)).split("/");
  const taken = [];
  start = +from in data.starts ? +from : 0;
  for (const word of (choices || "").split(".").filter(Boolean)) {
    const number = data.states[stateAfter(taken)].next[parseInt(word, 36)];
    if (number === undefined) break;
    taken.push(number);
  }
  hidden = new Set((hosts || "").split(".").filter(Boolean).map(Number).filter((h) => h in data.hosts));
  go(start, taken);
}

// ---- keys, and the beginning

const KEYS = {
  Backspace: back, ArrowLeft: back, Home: () => go(start, []), v: () => toward(""),
  ArrowDown: () => moveFocus(1), ArrowUp: () => moveFocus(-1), ArrowRight: () => press(0),
};

const choices = () => [...document.querySelectorAll("#next .choice, #of-hidden[open] .choice")];

function moveFocus(by) {
  const all = choices(), at = all.indexOf(document.activeElement);
  if (all.length) all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length].focus();
}

function press(place) {
  const chosen = choices()[place], focused = choices().indexOf(document.activeElement) >= 0;
  if (chosen) chosen.click();
  if (focused) choices()[0]?.focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const digit = /^[1-9]$/.test(event.key);
  if (!digit && !(event.key in KEYS)) return;
  event.preventDefault();
  if (digit) press(+event.key - 1); else KEYS[event.key]();
}

/** The events as objects, and of each state the numbers of those that could happen next. */
function expandWalk() {
  data.events = data.events.map(([from, to, name, host, broken, told]) => ({ from, to, name, host, broken, told }));
  data.states.forEach((state) => { state.next = []; });
  data.events.forEach((event, number) => data.states[event.from].next.push(number));
}

async function begin() {
  data = await unpack($("data").textContent);
  expandWalk();
  $("about").textContent = `${data.lock} · ${data.about}`;
  $("scenario").textContent = data.scenario;
  $("reproduce").replaceChildren("To write it again: ", make("code", {}, data.command));
  const click = { first: KEYS.Home, back, violation: KEYS.v, theme: turnTheme, "other-start": () => nextStart(1) };
  for (const [id, act] of Object.entries(click)) $(id).onclick = act;
  $("other-start").hidden = data.starts.length < 2;
  $("violation").disabled = data.properties.length === 0;
  addEventListener("keydown", onKey);
  addEventListener("hashchange", fromAddress);
  fromAddress();
  document.body.classList.add("ready");
}

begin().catch((problem) => {
  $("end").textContent = `This page needs a browser of 2024 or later (${problem.message}).`;
});
