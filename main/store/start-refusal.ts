/** The program cannot start. The message tells its person what to do. */
export class StartRefusal extends Error {
  override readonly name = "StartRefusal";
}
