/** The state of a model on a device. */
export const modelStates = ["missing", "waiting", "downloading", "verifying", "ready", "corrupt"] as const;
export type ModelState = (typeof modelStates)[number];

/** The state of a model's file, whatever the device plans for the model. */
export type FileState = Exclude<ModelState, "waiting" | "downloading">;
