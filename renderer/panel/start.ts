import { speak } from "../languages/speak.ts";

try {
  await speak(window);
  await import("./main.tsx");
} catch (error) {
  // Not even the words are there.
  document.body.textContent = "This page could not be loaded. Reload it.";
  throw error;
}
