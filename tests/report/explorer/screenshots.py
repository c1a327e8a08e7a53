"""Renew the screenshots of sass_notes/explorer.md: open each state that it names, and keep what is seen.

python tests/report/explorer/screenshots.py [explorer.html]
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from simtc.report.explorer import explorer_html

NOTES = Path(__file__).resolve().parents[3] / "sass_notes"
WIDTH, HEIGHT, HIGHEST = 1280, 900, 1500


def main() -> None:
    """Write every picture of the note."""
    from PIL import Image  # noqa: PLC0415 - pytest imports this file, with or without what it needs
    from selenium import webdriver  # noqa: PLC0415

    note = (NOTES / "explorer.md").read_text(encoding="utf-8")
    shots = re.findall(r"\((figures/explorer_\w+\.png)\)\n\n    (\S+)\n", note)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(flag)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(sys.argv[1]).resolve() if sys.argv[1:] else Path(folder) / "explorer.html"
        if not sys.argv[1:]:
            page.write_text(explorer_html(), encoding="utf-8")
        options.add_argument(f"--user-data-dir={folder}/chromium")
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        for name, state in shots:
            driver.get("about:blank")
            driver.get(f"{page.as_uri()}#{state}")
            high = driver.execute_script("return document.documentElement.scrollHeight")
            driver.set_window_size(WIDTH, min(high + 100, HIGHEST))
            time.sleep(0.5)
            picture = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
            _with_few_colours(picture).save(NOTES / name, optimize=True)
            driver.set_window_size(WIDTH, HEIGHT)
            print(name, (NOTES / name).stat().st_size)  # noqa: T201 - it is a script
        driver.quit()


def _with_few_colours(picture: Any) -> Any:
    """Keep the 256 colours that most of a picture has: flat colours stay as they are, and the file is small."""
    from PIL import Image  # noqa: PLC0415 - as above

    most = sorted(picture.getcolors(1 << 24), reverse=True)[:256]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, color in most for part in color])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main()
