/** The program cannot start, for a reason that its person can do something about: the message says what. */
export class StartRefusal extends Error {
  override readonly name = "StartRefusal";
}
