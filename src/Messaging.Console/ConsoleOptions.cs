using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http;

namespace Quayside.Messaging.Console;

/// <summary>The settings of the console, beside those of the web server in the section <c>Hosting</c>.</summary>
internal sealed class ConsoleOptions : ISelfValidating
{
    /// <summary>In an address, the name of a page, such as <c>guides/alerts</c>.</summary>
    public const string PagePlace = "{page}";

    private const int MinTokenLength = 16;

    public static SettingsSection Settings { get; } = SettingsSection.Of<ConsoleOptions>(WebOptions.Section);

    [Setting(
        "Token of the page and its API (AddConsole), sent as Authorization: Bearer. Without one they cannot change anything, such as redrive or pause. Reading "
            + "needs one too, unless Url is loopback and AllowedHosts is not set", Secret = true)]
    public string? Token { get; set; }

    [Setting(
        "Address of the documentation's pages (AddConsole), with {page} for the name of one, such as https://docs.example.com/{page}.html: the page links each "
            + "problem to its page. Default: the text of docs/guides/alerts.md, which the worker serves, and no other links", Advanced = true)]
    public string? DocsUrl { get; set; }

    public void Validate(SettingsCheck check)
    {
        if (!string.IsNullOrEmpty(DocsUrl) && (!DocsUrl.Contains(PagePlace, StringComparison.Ordinal)
            || !Uri.TryCreate(DocsUrl.Replace(PagePlace, "guides/alerts", StringComparison.Ordinal), UriKind.Absolute, out Uri? docs)
            || (docs.Scheme != Uri.UriSchemeHttps && docs.Scheme != Uri.UriSchemeHttp)))
        {
            check.Fail(
                nameof(DocsUrl),
                $"must be an address of http or https with {PagePlace}, such as "
                    + $"https://docs.example.com/{PagePlace}.html.");
        }

        if (Token is { Length: < MinTokenLength })
        {
            check.Fail(nameof(Token), $"must have at least {MinTokenLength} characters.", "A short token can be guessed.");
        }
    }
}
