await window.queryLocalFonts();
