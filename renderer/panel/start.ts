import { chosenLanguage } from "../languages/choose-language.ts";
import { startPage } from "../languages/start-page.ts";
import { tellLanguage } from "./bridge/tell-program.ts";

tellLanguage(chosenLanguage(window.localStorage));
await startPage(() => import("./main.tsx"));
