import { httpRouter } from "convex/server";
import { stream } from "./chat";

const http = httpRouter();
http.route({ path: "/chat-stream", method: "POST", handler: stream });
export default http;
