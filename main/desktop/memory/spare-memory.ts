import { app } from "electron";

/**
 * Leaves out what a small panel does not need of Chromium, each of which takes 15 to 40 MB: processes for the GPU and the network,
 * and the libraries of OpenGL. Must run before the app is ready. Only on Linux, where it was measured.
 */
export function spareMemory(): void {
  if (process.platform !== "linux") return;
  // The processor draws the panel, without OpenGL's or Vulkan's help.
  app.disableHardwareAcceleration();
  app.commandLine.appendSwitch("disable-software-rasterizer");
  app.commandLine.appendSwitch("in-process-gpu");
  app.commandLine.appendSwitch("use-gl", "disabled");
  // The panel's files come from this process, and the donor's connections are Node's.
  app.commandLine.appendSwitch("enable-features", "NetworkServiceInProcess2");
  // GTK draws the menus. It would load the driver only to ask it.
  process.env["GDK_GL"] = "disable";
}
