// Export: a picture as an SVG file or a PNG file, and results as text.

function offer(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** Return a picture as the text of an SVG file that needs nothing else. */
function svgFile(picture, title) {
  return resolveColors(svgElement(picture, title)).replace(/ role="img"/, "");
}

function saveSvg(picture, title, name) {
  offer(`${name}.svg`, new Blob([svgFile(picture, title)], { type: "image/svg+xml" }));
}

/** Return a promise of a picture as a PNG, two points a pixel. */
function pngBlob(picture, title) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const scale = Math.min(2, 8000 / Math.max(picture.width, picture.height));
      const canvas = h("canvas", { width: Math.ceil(picture.width * scale), height: Math.ceil(picture.height * scale) });
      const context = canvas.getContext("2d");
      context.scale(scale, scale);
      context.drawImage(image, 0, 0);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("this picture could not be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgFile(picture, title))}`;
  });
}

async function savePng(picture, title, name) {
  offer(`${name}.png`, await pngBlob(picture, title));
}

function saveText(name, text) {
  offer(name, new Blob([text], { type: "application/json" }));
}
