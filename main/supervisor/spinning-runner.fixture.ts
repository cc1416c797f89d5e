/** A runner that enters an endless loop with its first message. */
process.on("message", () => {
  for (;;);
});
process.send?.({ type: "started", confinement: [] });
