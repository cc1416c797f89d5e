const loopbackName = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Where whoever made this request finds the deployment. One that knows itself only by a loopback name is told by
 * the name that the request came by, which is the same machine: a loopback name would be the caller's own.
 * @param cloudUrl the deployment's own URL, as Convex tells its functions.
 */
export function deploymentUrlFor(requestUrl: string, cloudUrl: string | undefined): string {
  const asked = new URL(requestUrl);
  if (cloudUrl === undefined) return asked.origin;
  const url = new URL(cloudUrl);
  if (loopbackName.test(url.hostname) && !loopbackName.test(asked.hostname)) url.hostname = asked.hostname;
  return url.origin;
}
