// SPDX-License-Identifier: Apache-2.0
// What every page with a script makes its elements by. Nothing of the data ever becomes markup: texts are set as texts.
"use strict";

const $ = (id) => document.getElementById(id);

function make(tag, fields = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (name in node) node[name] = value; else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** A client's colour is its place among the clients, as in the pictures that `lockproof report` draws. */
function colourOf(run, host) {
  if (host < 0 || run.hosts[host].kind !== "client") return "";
  return "client" + run.hosts.slice(0, host).filter((one) => one.kind === "client").length % 6;
}

function turnTheme() {
  const next = { "": "dark", dark: "light", light: "" }[document.documentElement.dataset.theme || ""];
  document.documentElement.dataset.theme = next;
  $("theme").textContent = "Theme: " + (next || "auto");
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
