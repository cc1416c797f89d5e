@echo off
setlocal
set ELECTRON_RUN_AS_NODE=1
"%~dp0..\..\Gleaner.exe" "%~dp0..\app.asar\out\headless\gleaner.js" %*
exit /b %ERRORLEVEL%
