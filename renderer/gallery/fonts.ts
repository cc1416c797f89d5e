// The same letters on every computer, so that pictures of a story can be compared.
import "@fontsource/arimo/latin-400.css";
import "@fontsource/arimo/latin-500.css";
import "@fontsource/arimo/latin-600.css";
import "@fontsource/arimo/latin-700.css";
import "@fontsource/cousine/latin-400.css";
import "@fontsource/cousine/latin-700.css";
import "./fonts.css";
