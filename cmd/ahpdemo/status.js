// The status of a host: asks for figures each second and draws the last two minutes. Text is only ever set as text.
"use strict";

const number = n => n >= 1e6 ? (n / 1e6).toFixed(1) + " M" : n >= 1e4 ? (n / 1e3).toFixed(1) + " k" : n >= 100 || Number.isInteger(n) ? String(Math.round(n)) : n.toFixed(1);
const bytes = n => n >= 1e6 ? (n / 1e6).toFixed(1) + " MB" : n >= 1e3 ? (n / 1e3).toFixed(1) + " kB" : Math.round(n) + " B";
const time = ms => ms >= 1000 ? (ms / 1000).toFixed(2) + " s" : ms >= 1 ? ms.toFixed(1) + " ms" : Math.round(ms * 1000) + " µs";

const charts = [
  { title: "Clients", show: number, lines: [["clients", "clients"], ["connections", "connections"]] },
  { title: "Channels", show: number, lines: [["channels", "channels"], ["subscriptions", "subscriptions"]] },
  { title: "Actions per second", show: number, lines: [["published", "published"], ["rejected", "rejected"]] },
  { title: "Messages per second", show: number, lines: [["sent", "sent"], ["received", "received"]] },
  { title: "Bytes per second", show: bytes, lines: [["sentBytes", "sent"], ["receivedBytes", "received"]] },
  { title: "From an action to the connection", show: time, lines: [["waitedHalf", "half within"], ["waitedMost", "99 % within"]] },
  { title: "Answers to requests", show: time, lines: [["answeredHalf", "half within"], ["answeredMost", "99 % within"]] },
  { title: "Longest queues", show: number, lines: [["queued", "of a client"], ["queuedActions", "of the host"]] },
  { title: "Bytes queued for a client", show: bytes, lines: [["queuedBytes", "at most"]] },
];

const element = (name, className, ...children) => {
  const out = document.createElement(name);
  if (className) out.className = className;
  out.append(...children);
  return out;
};
const drawn = (name, attributes) => {
  const out = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) out.setAttribute(key, attributes[key]);
  return out;
};

// Builds the charts once; draw fills them.
for (const chart of charts) {
  const svg = drawn("svg", { viewBox: "0 0 119 100", preserveAspectRatio: "none", role: "img", "aria-label": chart.title });
  for (const y of [0, 50, 100]) svg.append(drawn("path", { class: "grid", d: `M0 ${y}H119` }));
  const legend = element("p", "legend");
  chart.most = element("span");
  chart.paths = chart.lines.map(([, label], i) => {
    const path = drawn("path", { class: "ab"[i] });
    svg.append(path);
    const value = element("b");
    legend.append(element("span", "", element("span", "key " + "ab"[i]), label + " ", value));
    return { path, value };
  });
  document.getElementById("charts").append(element("section", "chart", element("h2", "", chart.title), element("div", "axis", chart.most), svg, element("div", "axis", element("span", "", "2 minutes ago"), element("span", "", "now")), legend));
}

// Draws the samples, the newest at the right edge.
const draw = samples => {
  for (const chart of charts) {
    const top = Math.max(0, ...samples.flatMap(s => chart.lines.map(([member]) => s[member])));
    chart.most.textContent = "up to " + chart.show(top);
    chart.lines.forEach(([member], i) => {
      const { path, value } = chart.paths[i];
      // A second without a value is a gap in the line.
      const points = samples.map((s, n) => s[member] === null ? "" : `${n > 0 && samples[n - 1][member] !== null ? "L" : "M"}${119 - samples.length + 1 + n} ${100 - 100 * s[member] / (top || 1)}h.01`);
      path.setAttribute("d", points.join(""));
      const last = samples.length ? samples[samples.length - 1][member] : null;
      value.textContent = last === null ? "–" : chart.show(last);
    });
  }
};

const columns = [...document.querySelectorAll("th.number")].map(e => e.textContent);
const methods = list => {
  const rows = list.map(m => {
    const cell = (text, i) => {
      const out = element("td", "number", text);
      out.dataset.label = columns[i];
      return out;
    };
    const latency = m.latency.count ? [time(m.latency.half / 1e6), time(m.latency.most / 1e6)] : ["", ""];
    return element("tr", "", element("td", "", element("code", "", m.method)), ...[number(m.received), number(m.sent), number(m.failed), ...latency].map(cell));
  });
  document.getElementById("methods").replaceChildren(...rows);
};

const trouble = text => {
  const out = document.getElementById("trouble");
  out.textContent = text;
  out.hidden = !text;
};

const renew = async () => {
  try {
    const answer = await fetch("figures");
    if (!answer.ok) throw new Error(answer.statusText);
    const report = await answer.json();
    trouble(report.failed ? "The host has ended: " + report.failed : "");
    draw(report.samples);
    const t = report.totals;
    methods(t.methods || []);
    const counts = [["reconnections with a replay", t.replayed], ["with new states", t.snapshots], ["cut", t.cut], ["refused", t.refused], ["malformed", t.malformed], ["rejected actions", t.rejected]];
    document.getElementById("state").replaceChildren(...counts.map(([label, n]) => element("span", "", element("b", "", number(n)), " " + label)));
  } catch (error) {
    trouble("No figures: " + error.message);
  }
  setTimeout(renew, 1000);
};
renew();
