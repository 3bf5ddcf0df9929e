// "Try it" at a rule: the validator is loaded when it is opened.
document.addEventListener("toggle", ({target}) => {
  const frame = target.open && target.querySelector(".try-it > iframe[data-src]");
  if (frame) {
    frame.src = frame.dataset.src;
    frame.removeAttribute("data-src");
  }
}, true);
