<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><script src="https://cdn.example/a.js"></script></html></xsl:template></xsl:stylesheet>
