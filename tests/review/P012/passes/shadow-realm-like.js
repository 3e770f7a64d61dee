const page = await browser.newPage();
await page.evaluate("1 + 1");
new XPathEvaluator().evaluate("//a", document);
