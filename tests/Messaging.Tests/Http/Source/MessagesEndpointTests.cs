using System.Net;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Source;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

public sealed class MessagesEndpointTests
{
    [Theory]
    [InlineData("GET")]
    [InlineData("PUT")]
    [InlineData("DELETE")]
    [InlineData("PATCH")]
    public async Task Request_OtherMethod_Answers405(string method)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        using HttpRequestMessage request = new(new HttpMethod(method), "/messages/orders");

        using HttpResponseMessage response = await host.Client.SendAsync(request);

        response.StatusCode.ShouldBe(HttpStatusCode.MethodNotAllowed);
        response.Content.Headers.Allow.ShouldBe(["POST"]);
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("error").GetString().ShouldBe("method-not-allowed");
    }

    [Fact]
    public async Task Post_UnknownRoute_Answers404AndNamesTheRoutes()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(routes: ["b", "a"]);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages/nope%22%0d", new StringContent("x"));

        response.StatusCode.ShouldBe(HttpStatusCode.NotFound);
        string message = (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("message").GetString()!;
        message.ShouldContain("nope");
        message.ShouldContain("Routes with it: a, b. Send to one of them, or add Http to Routes:{name}:Source.");
    }

    [Fact]
    public async Task Post_EndlessRouteName_IsNotEchoed()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();

        using HttpResponseMessage response = await host.Client.PostAsync($"/messages/{new string('n', 2_000)}", new StringContent("x"));

        response.StatusCode.ShouldBe(HttpStatusCode.NotFound);
        string body = await response.Content.ReadAsStringAsync();
        body.ShouldNotContain("nnn");
        body.ShouldContain($"Routes with it: {HttpSourceHost.Route}.");
        body.Length.ShouldBeLessThan(300);
    }

    [Fact]
    public async Task Post_NoRouteAmongSeveral_SaysHowToChooseUnlessOneIsNamedDefault()
    {
        await using HttpSourceHost several = await HttpSourceHost.StartAsync(routes: ["a", "b"]);
        using HttpResponseMessage refused = await several.Client.PostAsync("/messages", new StringContent("x"));
        refused.StatusCode.ShouldBe(HttpStatusCode.BadRequest);
        string message = (await SingleMessageRequestTests.JsonAsync(refused)).GetProperty("message").GetString()!;
        message.ShouldContain("a, b");
        message.ShouldContain("POST /messages/{route}");

        await using HttpSourceHost named = await HttpSourceHost.StartAsync(routes: ["a", "default"]);
        named.Intake.Script = _ => Settlement.Complete;
        using HttpResponseMessage taken = await named.Client.PostAsync("/messages", new StringContent("x"));
        taken.StatusCode.ShouldBe(HttpStatusCode.OK);
        await named.FinishAsync();
    }

    /// <summary>A start that fails ends the routes before the web server: a caller must not give its message up.</summary>
    [Fact]
    public async Task Post_RouteEnded_IsRefusedAsStopping()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await host.StopReceivingAsync();
        using HttpResponseMessage stopping = await host.Client.PostAsync("/messages", new StringContent("x"));
        stopping.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        await host.Source.DisposeAsync();

        using HttpResponseMessage gone = await host.Client.PostAsync("/messages", new StringContent("x"));

        gone.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
    }

    [Theory]
    [InlineData("Sources:Http:MaxMessageBytes", "65MiB", 2)]
    [InlineData("Sources:Http:MaxRequestBytes", "1KiB", 1)]
    [InlineData("Sources:Http:MaxReceivingBytes", "1KiB", 1)]
    [InlineData("Sources:Http:BodyTimeout", "5", 1)]
    public void Configure_WrongValue_IsReported(string key, string value, int problems)
    {
        SettingsReader reader = new(new ConfigurationBuilder().AddInMemoryCollection([new(key, value)]).Build());

        new HttpSourceFeature().Configure(reader, "orders");

        reader.Errors.Count.ShouldBe(problems);
    }
}
