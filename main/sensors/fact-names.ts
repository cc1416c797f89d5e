import { unknown, unknownComputer } from "../../app/facts/facts.ts";
import type { FactName, Sensed } from "./base/sensor.ts";

export const nothingSensed: Sensed = { ...unknownComputer, suspended: unknown };

export const factNames = Object.keys(nothingSensed) as readonly FactName[];
