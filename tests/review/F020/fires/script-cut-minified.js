!function(e,t){"object"==typeof exports?module.exports=t():e.a=t()}(this,(function(){return function(e){var t={};function n(r){if(t[r])return t[r].exp
