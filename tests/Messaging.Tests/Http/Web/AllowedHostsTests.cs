using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http;

namespace Messaging.Tests.Http.Web;

/// <summary>Refuses requests that a page of another site could have sent, without refusing other callers.</summary>
public sealed class AllowedHostsTests
{
    private const string Loopback = "http://127.0.0.1:8080";
    private const string All = "http://0.0.0.0:8080";

    [Theory]
    [InlineData(Loopback, "", "127.0.0.1:8080", true)]
    [InlineData(Loopback, "", "localhost:8080", true)]
    [InlineData(Loopback, "", "LOCALHOST", true)]
    [InlineData(Loopback, "", "localhost.:8080", true)]
    [InlineData(Loopback, "", "worker.localhost", true)]
    [InlineData(Loopback, "", "[::1]:8080", true)]
    [InlineData(Loopback, "", "127.8.9.10", true)]
    [InlineData(Loopback, "", "", true)]
    [InlineData(Loopback, "", "evil.example", false)]
    [InlineData(Loopback, "", "localhost.evil.example", false)]
    [InlineData(Loopback, "", "127.0.0.1.evil.example:8080", false)]
    [InlineData(Loopback, "", "0.0.0.0:8080", false)]
    [InlineData(Loopback, "", "10.0.0.5", false)]
    [InlineData(Loopback, "", "worker", false)]
    [InlineData(Loopback, "worker.example.com, 10.0.0.5", "worker.example.com:8080", true)]
    [InlineData(Loopback, "worker.example.com, 10.0.0.5", "Worker.Example.Com.", true)]
    [InlineData(Loopback, "worker.example.com, 10.0.0.5", "10.0.0.5:80", true)]
    [InlineData(Loopback, "worker.example.com", "a.worker.example.com", false)]
    [InlineData(Loopback, "*.example.com", "a.b.example.com", true)]
    [InlineData(Loopback, "*.example.com", "example.com", false)]
    [InlineData(Loopback, "*.example.com", "evilexample.com", false)]
    [InlineData(Loopback, "a.example.", "a.example", true)]
    [InlineData(Loopback, "a.example.", "a.example.:8080", true)]
    [InlineData(Loopback, "*.example.com.", "a.example.com", true)]
    [InlineData(Loopback, "b\u00fccher.example", "xn--bcher-kva.example", true)]
    [InlineData(Loopback, "B\u00dcCHER.example.", "XN--BCHER-KVA.example:80", true)]
    [InlineData(Loopback, "*.b\u00fccher.example", "a.xn--bcher-kva.example", true)]
    [InlineData(Loopback, "xn--bcher-kva.example", "xn--bcher-kva.example", true)]
    [InlineData(Loopback, "my_service.local", "my_service.local", true)]
    [InlineData(Loopback, "2001:db8:0:0::1", "[2001:db8::1]", true)]
    [InlineData(Loopback, "[2001:DB8::1]", "[2001:db8:0::1]:8080", true)]
    [InlineData(Loopback, "2001:db8::1", "[2001:db8::2]", false)]
    [InlineData(Loopback, "*", "evil.example", true)]
    [InlineData("http://10.0.0.5:8080", "", "10.0.0.5:8080", true)]
    [InlineData("http://10.0.0.5:8080", "", "10.0.0.6:8080", false)]
    [InlineData("http://10.0.0.5:8080", "", "localhost", true)]
    [InlineData("http://[::1]:8080", "", "[::1]:8080", true)]
    [InlineData("http://localhost:8080", "", "127.0.0.1:8080", true)]
    [InlineData(All, "", "10.244.1.7:8080", true)]
    [InlineData(All, "", "[fd00::7]:8080", true)]
    [InlineData(All, "", "worker:8080", true)]
    [InlineData(All, "", "evil.example", false)]
    [InlineData(All, "", "worker.default.svc", false)]
    [InlineData(All, "*.svc", "worker.default.svc", true)]
    [InlineData("http://[::]:8080", "", "10.244.1.7:8080", true)]
    public void Host_SentToAWorker_IsAllowedOrNamedInTheRefusal(string url, string allowed, string host, bool isAllowed)
    {
        HttpRefusal? refusal = Check(url, allowed, host);

        (refusal is null).ShouldBe(isAllowed);
        if (refusal is not null)
        {
            refusal.Status.ShouldBe(403);
            refusal.Message.ShouldContain(host);
            refusal.Message.ShouldContain("Hosting:AllowedHosts");
        }
    }

    [Theory]
    [InlineData(Loopback, "", "127.0.0.1:8080", "http://127.0.0.1:8080", true)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "http://localhost:3000", true)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "http://evil.example", false)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "https://evil.example", false)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "null", false)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "", false)]
    [InlineData(Loopback, "", "127.0.0.1:8080", "chrome-extension://abcdef", false)]
    [InlineData(Loopback, "app.example.com", "127.0.0.1:8080", "https://app.example.com", true)]
    [InlineData(Loopback, "*", "127.0.0.1:8080", "http://evil.example", false)]
    [InlineData(Loopback, "*", "worker.example.com", "https://worker.example.com", true)]
    [InlineData(All, "", "10.0.0.5:8080", "http://10.0.0.5:8080", true)]
    [InlineData(All, "", "10.0.0.5:8080", "http://203.0.113.9", false)]
    [InlineData(All, "", "worker:8080", "http://intranet", false)]
    public void Origin_OfAPage_IsAllowedOrNamedInTheRefusal(string url, string allowed, string host, string origin, bool isAllowed)
    {
        HttpRefusal? refusal = Check(url, allowed, host, ("Origin", origin), ("Sec-Fetch-Site", "cross-site"));

        (refusal is null).ShouldBe(isAllowed);
        refusal?.Message.ShouldContain(origin);
        refusal?.Message.ShouldContain("Hosting:AllowedHosts");
    }

    [Theory]
    [InlineData("null", false)]
    [InlineData("http://evil.example", true)]
    public void Origin_Refused_SaysWhatToDo(string origin, bool hasHost)
    {
        HttpRefusal refusal = Check(Loopback, string.Empty, "127.0.0.1:8080", ("Origin", origin)).ShouldNotBeNull();

        refusal.Message.Contains("add their host to Hosting:AllowedHosts", StringComparison.Ordinal).ShouldBe(hasHost);
        refusal.Message.Contains("Serve the page from a host of Hosting:AllowedHosts", StringComparison.Ordinal).ShouldBe(!hasHost);
    }

    [Theory]
    [InlineData("GET", "cross-site", "no-cors", "image", false)]
    [InlineData("GET", "cross-site", "navigate", "iframe", false)]
    [InlineData("POST", "cross-site", "navigate", "document", false)]
    [InlineData("GET", "cross-site", "navigate", "document", true)]
    [InlineData("GET", "none", "navigate", "document", true)]
    [InlineData("GET", "same-origin", "cors", "empty", true)]
    public void FetchMetadata_OfARequestWithoutOrigin_IdentifiesPagesOfOtherSites(string method, string site, string mode, string destination, bool isAllowed)
    {
        HttpRefusal? refusal = Check(
            Loopback, string.Empty, "127.0.0.1:8080", ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination), (":method", method));

        (refusal is null).ShouldBe(isAllowed);
    }

    [Theory]
    [InlineData("a.example.", true)]
    [InlineData("b\u00fccher.example", true)]
    [InlineData("*.b\u00fccher.example.", true)]
    [InlineData("2001:db8:0:0::1", true)]
    [InlineData("[::1]", true)]
    [InlineData("10.0.0.5", true)]
    [InlineData("*", true)]
    [InlineData(".", false)]
    [InlineData("*.", false)]
    [InlineData("a..example", false)]
    [InlineData("*.10.0.0.5", false)]
    [InlineData("*.2001:db8::1", false)]
    [InlineData("fe80::1%2", false)]
    [InlineData("[::1]:80", false)]
    [InlineData("a.example:80", false)]
    [InlineData("http://a.example", false)]
    [InlineData("a.*.example", false)]
    public void AllowedHosts_AnEntry_IsAnErrorWhereNoRequestCouldMatchIt(string entry, bool isRight)
    {
        SettingsReader settings = new(new ConfigurationBuilder().AddInMemoryCollection([KeyValuePair.Create("Hosting:AllowedHosts", (string?)entry)]).Build());

        settings.Read<WebOptions>(WebOptions.Section);

        settings.Errors.Select(error => error.Key).ShouldBe(isRight ? [] : ["Hosting:AllowedHosts"]);
    }

    [Fact]
    public void Host_RefusedAfterAnAllowedOne_IsStillRefused()
    {
        AllowedHosts hosts = new(new WebOptions { Url = new Uri(Loopback) });

        hosts.Check(Request("localhost", [])).ShouldBeNull();
        hosts.Check(Request("evil.example", [])).ShouldNotBeNull();
        hosts.Check(Request("localhost", [])).ShouldBeNull();
    }

    private static HttpRefusal? Check(string url, string allowed, string host, params (string Name, string Value)[] headers)
    {
        WebOptions options = new()
        {
            Url = new Uri(url),
            AllowedHosts = allowed.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries),
        };
        return new AllowedHosts(options).Check(Request(host, headers));
    }

    private static HttpRequest Request(string host, (string Name, string Value)[] headers)
    {
        DefaultHttpContext context = new();
        context.Request.Method = "POST";
        context.Request.Headers.Host = host;
        foreach ((string name, string value) in headers)
        {
            if (name == ":method")
            {
                context.Request.Method = value;
            }
            else
            {
                context.Request.Headers[name] = value;
            }
        }

        return context.Request;
    }
}
