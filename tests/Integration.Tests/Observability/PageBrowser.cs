using Integration.Tests.Servers;
using Microsoft.Playwright;

namespace Integration.Tests.Observability;

/// <summary>Debian's Chromium; each test opens a context of its own in it.</summary>
public sealed class PageBrowser : IAsyncLifetime
{
    private const string Program = "/usr/bin/chromium";

    private IPlaywright? _playwright;
    private IBrowser? _browser;

    public async ValueTask InitializeAsync()
    {
        if (!File.Exists(Program))
        {
            return;
        }

        Assertions.SetDefaultExpectTimeout(60_000);
        _playwright = await Playwright.CreateAsync();
        _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = Program,
            Args = [
                "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync"],
        });
    }

    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when there is no browser.</summary>
    public IBrowser Require()
    {
        if (_browser is null)
        {
            RequiredServers.Missing($"There is no {Program}: install Debian's package chromium.");
        }

        return _browser!;
    }

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }

        _playwright?.Dispose();
    }
}
