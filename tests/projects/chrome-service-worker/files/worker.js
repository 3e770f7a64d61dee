import { minutes } from './settings.js';

chrome.runtime.onInstalled.addListener(() => chrome.alarms.create('stand', { periodInMinutes: minutes }));
chrome.alarms.onAlarm.addListener(() => {
  new Notification('Stand up');
});
