/** Entry of index.html. */
document.querySelector("#app")?.append("Shoal");
