"use strict";
// Dark mode, and the findings of one engine. Nothing here is needed to read the report.

const byId = (id) => document.getElementById(id);
const numberText = (count) => count.toLocaleString("en-US");
const element = (tag, text, attributes = {}) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

// --- dark mode -------------------------------------------------------------------------------------------------

const setUpTheme = () => {
  const root = document.documentElement;
  const button = byId("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const show = () => { button.textContent = isDark() ? "Light mode" : "Dark mode"; };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  root.classList.add("scripted");
  button.hidden = false;
  show();
};

// --- the findings of one engine --------------------------------------------------------------------------------

/** The severity for the chosen engine, or again the worst of all. */
const showSeverity = (badges, severity) => {
  const [badge] = badges;
  if (!badge || badges.length > 1) return;
  badge.dataset.worst ||= badge.textContent;
  const shown = severity || badge.dataset.worst;
  badge.textContent = shown;
  badge.className = `badge ${shown}`;
};

const setUpEngines = () => {
  const choice = byId("engine");
  if (!choice) return;
  choice.parentElement.hidden = false;
  const rules = [...document.querySelectorAll("[data-engines]")];
  choice.addEventListener("change", () => {
    let shown = 0;
    for (const rule of rules) {
      const severities = Object.fromEntries(rule.dataset.engines.split(" ").map((each) => each.split(":")));
      rule.hidden = choice.value !== "" && !(choice.value in severities);
      showSeverity(rule.querySelectorAll(".badge"), severities[choice.value]);
      if (!rule.hidden && rule.tagName === "TR") shown += 1;
    }
    byId("engine-found").textContent = choice.value ? `${numberText(shown)} rules` : "";
  });
};

setUpTheme();
setUpEngines();
