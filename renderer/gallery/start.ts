import { speak } from "../languages/speak.ts";

await speak(window);
await import("./main.tsx");
