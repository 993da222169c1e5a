using System.Net;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Worker.Tests.Http.Web.Api;

/// <summary>Changing a log level over the API.</summary>
public sealed class LogLevelEndpointsTests
{
    private const string Path = "/api/v1/log-level";
    private const string Debug = """{"category":"Shop","level":"debug","minutes":5}""";

    [Fact]
    public async Task Change_IsInEffect_ShownByStats_Audited_AndEndedOnRequest()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        ILoggerFactory loggers = host.App.Services.GetRequiredService<ILoggerFactory>();
        loggers.AddProvider(new AllLines());
        ILogger logger = loggers.CreateLogger("Shop.Orders");
        logger.IsEnabled(LogLevel.Debug).ShouldBeFalse();

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Path, Debug);

        status.ShouldBe(200, body.ToString());
        logger.IsEnabled(LogLevel.Debug).ShouldBeTrue();
        JsonElement shown = (await host.GetAsync("/api/v1/stats")).GetProperty("logLevels")[0];
        shown.ToString().ShouldBe(body.GetProperty("logLevels")[0].ToString());
        shown.GetProperty("category").GetString().ShouldBe("Shop");
        shown.GetProperty("level").GetString().ShouldBe("Debug");
        (shown.GetProperty("until").GetDateTime() - shown.GetProperty("since").GetDateTime()).ShouldBe(TimeSpan.FromMinutes(5));

        (await host.SendAsync(HttpMethod.Post, Path, """{"category":"shop","minutes":0}""")).Body.GetProperty("logLevels").GetArrayLength().ShouldBe(0);

        logger.IsEnabled(LogLevel.Debug).ShouldBeFalse();
        (await host.GetAsync("/api/v1/changes")).GetProperty("changes").EnumerateArray().Select(change => $"{change.GetProperty("what")}: {change.GetProperty("result")}")
            .ShouldBe(["log shop as configured: done", "log Shop from Debug on for 5 min: done"]);
    }

    [Fact]
    public async Task Change_NoProviderFollows_IsRefusedAndUndone()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Path, Debug);

        status.ShouldBe(409, "The loggers of this host have no provider.");
        body.GetProperty("error").GetString().ShouldBe("no-effect");
        (await host.GetAsync("/api/v1/stats")).GetProperty("logLevels").GetArrayLength().ShouldBe(0);
    }

    [Fact]
    public async Task Change_SixthCategory_IsRefused()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        host.App.Services.GetRequiredService<ILoggerFactory>().AddProvider(new AllLines());
        for (int i = 0; i < 5; i++)
        {
            (await host.SendAsync(HttpMethod.Post, Path, $$"""{"category":"Shop{{i}}","level":"Trace"}""")).Status.ShouldBe(200);
        }

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Path, Debug);

        status.ShouldBe(409);
        body.GetProperty("error").GetString().ShouldBe("too-many-log-levels");
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("""{"category":"","level":"Debug"}""")]
    [InlineData("""{"category":"Default","level":"Debug"}""")]
    [InlineData("""{"category":"*","level":"Debug"}""")]
    [InlineData("""{"category":"a\nb","level":"Debug"}""")]
    [InlineData("""{"category":"a\n","level":"Debug"}""")]
    [InlineData("""{"category":"Shop"}""")]
    [InlineData("""{"category":"Shop","level":"Warning"}""")]
    [InlineData("""{"category":"Quayside.Messaging.Http.Audit","level":"None"}""")]
    [InlineData("""{"category":"Shop","level":"1"}""")]
    [InlineData("""{"category":"Shop","level":"Debug","minutes":61}""")]
    [InlineData("""{"category":"Shop","level":"Debug","minutes":-1}""")]
    [InlineData("""{"category":"Shop","level":"Debug","hours":1}""")]
    public async Task Malformed_IsRefusedWithTheForm(string json)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        host.App.Services.GetRequiredService<ILoggerFactory>().AddProvider(new AllLines());

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, Path, json);

        status.ShouldBe(400);
        body.GetProperty("message").GetString().ShouldNotBeNull().ShouldContain("minutes are 1 to 60");
        (await host.GetAsync("/api/v1/stats")).GetProperty("logLevels").GetArrayLength().ShouldBe(0);
    }

    [Theory]
    [InlineData("Origin", "http://evil.example")]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Host", "evil.example")]
    public async Task PageOfAnotherSite_IsRefused_EvenWithTheToken(string header, string value)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        using HttpRequestMessage request = new(HttpMethod.Post, Path) { Content = new StringContent(Debug, Encoding.UTF8, "application/json") };
        request.Headers.Authorization = new("Bearer", ApiHost.Token);
        request.Headers.TryAddWithoutValidation(header, value);

        using HttpResponseMessage answer = await host.Client.SendAsync(request);

        answer.StatusCode.ShouldBe(HttpStatusCode.Forbidden);
    }

    [Theory]
    [InlineData("")]
    [InlineData("another-token-of-tests")]
    public async Task WithoutTheToken_IsRefused(string token)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.SendAsync(HttpMethod.Post, Path, Debug, token)).Status.ShouldBe(401);

        (await host.GetAsync("/api/v1/changes")).GetProperty("changes").GetArrayLength().ShouldBe(0);
    }

    private sealed class AllLines : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state) where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            // No test reads them.
        }

        public void Dispose()
        {
            // Nothing to dispose.
        }
    }
}
