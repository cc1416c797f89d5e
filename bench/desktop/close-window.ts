import { createClient, type Display } from "x11";

const clientMessage = 33;

/** Asks a program to close its window, as a window manager does at a click on the cross. xdotool can only destroy windows. */
export async function closeWindow(display: string, window: number): Promise<void> {
  const { client } = await new Promise<Display>((resolve, reject) => {
    createClient({ display, shm: false, disableBigRequests: true }, (error, opened) => {
      if (error) reject(error);
      else resolve(opened);
    });
  });
  const atom = (name: string): Promise<number> =>
    new Promise((resolve, reject) => {
      client.InternAtom(false, name, (error, value) => {
        if (error) reject(error);
        else resolve(value);
      });
    });
  try {
    const event = Buffer.alloc(32);
    event[0] = clientMessage;
    event[1] = 32;
    event.writeUInt32LE(window, 4);
    event.writeUInt32LE(await atom("WM_PROTOCOLS"), 8);
    event.writeUInt32LE(await atom("WM_DELETE_WINDOW"), 12);
    client.SendEvent(window, false, 0, event);
    // Its answer comes after the event was sent.
    await atom("WM_PROTOCOLS");
  } finally {
    client.terminate();
  }
}
