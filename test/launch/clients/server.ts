import * as z from "zod";

/** A running server for the clients' tests. `site`: its URL without a path. */
export type Server = { readonly site: string; readonly apiKey: string; readonly model: string };

/** The demo model answers this exactly at temperature 0. */
export const question = "What is 7 + 5?";
export const answer = "7 + 5 = 12";

/** No model can leave it. A schema of an object that the grammar enforces. */
export const sumSchema = z.object({ sum: z.number().int().min(0).max(50) });

export const weather = {
  name: "weather",
  description: "Tells the weather of a city.",
  schema: z.object({ city: z.enum(["Oslo", "Rome"]) }),
  run: ({ city }: { readonly city: string }) => `sun in ${city}`,
};
