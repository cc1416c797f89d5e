/** Far above any normal answer, so that only a hang fails. */
const patienceMs = 30_000;

/** Rejects if the promise does not settle. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${what} did not end within ${patienceMs / 1_000} s`)),
      patienceMs,
    );
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
