using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Http;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Http.Web.Api;

public sealed class DeadLetterEndpointsTests
{
    [Fact]
    public async Task List_FiltersAndPages()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        for (int i = 0; i < 5; i++)
        {
            await host.PostAsync($"{ApiHost.Poison} number {i}", $"id-{i}");
        }

        await host.PostAsync("{\"n\":1}", "keyless");

        JsonElement all = await host.GetAsync("/api/v1/dead-letters");
        all.GetProperty("letters").GetArrayLength().ShouldBe(6);
        all.GetProperty("next").ValueKind.ShouldBe(JsonValueKind.Null);
        all.GetProperty("reasons")[0].GetProperty("count").GetInt32().ShouldBe(5);

        Ids(await host.GetAsync("/api/v1/dead-letters?reason=missing-id")).ShouldBe(["keyless"]);
        Ids(await host.GetAsync("/api/v1/dead-letters?reason=none")).ShouldBeEmpty();

        List<string> paged = [];
        string? next = string.Empty;
        while (next is not null)
        {
            JsonElement page = await host.GetAsync($"/api/v1/dead-letters?limit=2&after={Uri.EscapeDataString(next)}");
            paged.AddRange(Ids(page));
            next = page.GetProperty("next").GetString();
        }

        paged.Order().ShouldBe(["id-0", "id-1", "id-2", "id-3", "id-4", "keyless"]);

        string name = Uri.EscapeDataString(all.GetProperty("letters")[0].GetProperty("name").GetString()!);
        using HttpResponseMessage filteredOut = await host.Client.GetAsync($"/api/v1/dead-letters?reason=none&after={name}");
        filteredOut.StatusCode.ShouldBe(HttpStatusCode.Gone);
    }

    [Fact]
    public async Task List_AfterADeletedOne_SaysSo()
    {
        await using ApiHost host = await ApiHost.StartAsync();

        using HttpResponseMessage answer = await host.Client.GetAsync("/api/v1/dead-letters?after=malformed-json/20260101/gone");

        answer.StatusCode.ShouldBe(HttpStatusCode.Gone);
        (await answer.Content.ReadAsStringAsync()).ShouldContain("after-is-gone");
    }

    [Fact]
    public async Task DeadLetter_EditedByHand_MayLackAttributes()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "edited");
        string record = Directory.GetFiles(host.Letters, "*.json", SearchOption.AllDirectories).Single();
        string name = Path.GetRelativePath(host.Letters, record)[..^".json".Length];
        foreach (JsonNode? attributes in (JsonNode?[])[null, new JsonObject { ["a"] = null }])
        {
            JsonNode edited = JsonNode.Parse(await File.ReadAllTextAsync(record))!;
            edited["attributes"] = attributes?.DeepClone();
            await File.WriteAllTextAsync(record, edited.ToJsonString());

            (await host.GetAsync($"/api/v1/dead-letters/letter?name={name}")).GetProperty("id").GetString().ShouldBe("edited");
        }
    }

    [Fact]
    public async Task DeadLetter_MovedOutOfAQueue_ShowsItsSystemPropertiesAmongTheAttributes()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "moved");
        string record = Directory.GetFiles(host.Letters, "*.json", SearchOption.AllDirectories).Single();
        JsonNode edited = JsonNode.Parse(await File.ReadAllTextAsync(record))!;
        edited["attributes"] = new JsonObject { ["tenant"] = "north" };
        edited["systemProperties"] = new JsonObject { ["correlation-id"] = "c-1" };
        await File.WriteAllTextAsync(record, edited.ToJsonString());

        JsonElement letter = await host.GetAsync($"/api/v1/dead-letters/letter?name={Path.GetRelativePath(host.Letters, record)[..^".json".Length]}");

        letter.GetProperty("attributes").GetRawText().ReplaceLineEndings("").Replace(" ", "").ShouldBe("""{"@correlation-id":"c-1","tenant":"north"}""");
    }

    [Fact]
    public async Task DeadLetter_OfAGroup_ShowsItAndTheDeduplicationId()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "grouped");
        string record = Directory.GetFiles(host.Letters, "*.json", SearchOption.AllDirectories).Single();
        string name = Path.GetRelativePath(host.Letters, record)[..^".json".Length];
        (await host.GetAsync($"/api/v1/dead-letters/letter?name={name}")).TryGetProperty("group", out _).ShouldBeFalse();
        JsonNode edited = JsonNode.Parse(await File.ReadAllTextAsync(record))!;
        edited["group"] = "g-7";
        edited["deduplicationId"] = new string('d', 3_000);
        await File.WriteAllTextAsync(record, edited.ToJsonString());

        JsonElement letter = await host.GetAsync($"/api/v1/dead-letters/letter?name={name}");

        letter.GetProperty("group").GetString().ShouldBe("g-7");
        letter.GetProperty("deduplicationId").GetString()!.Length.ShouldBeInRange(2_000, 2_010);
        (await host.GetAsync("/api/v1/dead-letters")).GetProperty("letters")[0].TryGetProperty("group", out _).ShouldBeFalse();
    }

    [Fact]
    public async Task Folder_ThatIsALink_IsNotFollowed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs the right to make links");
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "inside");
        string elsewhere = Path.Combine(host.Letters, "..", "elsewhere");
        Directory.Move(Path.Combine(host.Letters, "malformed-json"), elsewhere);
        Directory.CreateSymbolicLink(Path.Combine(host.Letters, "malformed-json"), Path.GetFullPath(elsewhere));
        string name = $"malformed-json/{Path.GetRelativePath(elsewhere, Directory.GetFiles(elsewhere, "*.json", SearchOption.AllDirectories).Single())[..^".json".Length]}";

        Ids(await host.GetAsync("/api/v1/dead-letters")).ShouldBeEmpty();
        (await host.Client.GetAsync($"/api/v1/dead-letters/letter?name={name}")).StatusCode.ShouldBe(HttpStatusCode.NotFound);
        await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", JsonSerializer.Serialize(new { names = new[] { name } }));
        (await host.RedrivenAsync()).GetProperty("total").GetInt32().ShouldBe(0);
        Directory.GetFiles(elsewhere, "*.body", SearchOption.AllDirectories).Length.ShouldBe(1);
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("{\"name\":[\"malformed-json/20260101/one\"]}")]
    [InlineData("{\"all\":true,\"reason\":\"malformed-json\"}")]
    [InlineData("{\"all\":true,\"rate\":\"5\"}")]
    public async Task Redrive_WithoutASelection_IsRefused(string json)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", json)).Status.ShouldBe(400);

        (await host.GetAsync("/api/v1/redrive")).GetProperty("state").GetString().ShouldBe("idle");
    }

    [Fact]
    public async Task DeadLetter_AndItsBody_AreAsReceived()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        const string Markup = "{<img src=x onerror=alert(1)>";
        await host.PostAsync(Markup, "marked-up");
        string name = Name(await host.GetAsync("/api/v1/dead-letters"));

        JsonElement letter = await host.GetAsync($"/api/v1/dead-letters/letter?name={name}");
        letter.GetProperty("id").GetString().ShouldBe("marked-up");
        letter.GetProperty("bodyBytes").GetInt64().ShouldBe(Markup.Length);
        letter.GetProperty("attributes").ValueKind.ShouldBe(JsonValueKind.Object);

        using HttpResponseMessage body = await host.Client.GetAsync($"/api/v1/dead-letters/body?name={name}");
        (await body.Content.ReadAsStringAsync()).ShouldBe(Markup);
        body.Content.Headers.ContentType!.MediaType.ShouldBe("application/octet-stream");
        body.Content.Headers.ContentDisposition!.DispositionType.ShouldBe("attachment");
        body.Headers.GetValues("X-Content-Type-Options").Single().ShouldBe("nosniff");
        body.Headers.GetValues("X-Body-Bytes").Single().ShouldBe($"{Markup.Length}");
    }

    [Theory]
    [InlineData("")]
    [InlineData("../../etc/passwd")]
    [InlineData("malformed-json/../secret")]
    [InlineData("malformed-json/20260101/..")]
    [InlineData("a/b/c/d")]
    [InlineData("/etc/x/y")]
    [InlineData("a/b/c%00")]
    public async Task Name_OfNoDeadLetter_IsNotFound(string name)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await File.WriteAllTextAsync(Path.Combine(host.Letters, "..", "secret.body"), "secret");
        await File.WriteAllTextAsync(Path.Combine(host.Letters, "..", "secret.json"), "{}");

        (await host.Client.GetAsync($"/api/v1/dead-letters/letter?name={name}")).StatusCode.ShouldBe(HttpStatusCode.NotFound);
        (await host.Client.GetAsync($"/api/v1/dead-letters/body?name={name}")).StatusCode.ShouldBe(HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task DeadLetter_Damaged_IsListedWithTheProblem()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "damaged");
        await File.WriteAllTextAsync(Directory.GetFiles(host.Letters, "*.json", SearchOption.AllDirectories).Single(), "{");

        JsonElement letter = (await host.GetAsync("/api/v1/dead-letters")).GetProperty("letters")[0];

        letter.GetProperty("description").GetString()!.ShouldContain("is damaged");
        (await host.Client.GetAsync($"/api/v1/dead-letters/letter?name={letter.GetProperty("name").GetString()}")).StatusCode.ShouldBe(
            HttpStatusCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Redrive_OfChosenOnes_SendsThemAndLeavesTheOthers()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "corrected");
        await host.PostAsync(ApiHost.Poison, "left");
        string body = Directory.GetFiles(host.Letters, "corrected~*.body", SearchOption.AllDirectories).Single();
        await File.WriteAllTextAsync(body, ApiHost.Body("corrected"));
        string name = Path.GetRelativePath(host.Letters, body)[..^".body".Length];

        (int status, _) = await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", JsonSerializer.Serialize(new { names = new[] { name }, rate = 100 }));

        status.ShouldBe(202);
        JsonElement done = await host.RedrivenAsync();
        done.GetProperty("sent").GetInt32().ShouldBe(1);
        done.GetProperty("total").GetInt32().ShouldBe(1);
        Ids(await host.GetAsync("/api/v1/dead-letters")).ShouldBe(["left"]);
    }

    [Fact]
    public async Task Redrive_RefusedAgain_StaysAndIsNamed()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "bad");

        await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{\"reason\":\"malformed-json\"}");

        JsonElement done = await host.RedrivenAsync();
        done.GetProperty("left").GetInt32().ShouldBe(1);
        done.GetProperty("failures")[0].GetProperty("error").GetString()!.ShouldContain("422");
        Ids(await host.GetAsync("/api/v1/dead-letters")).ShouldBe(["bad"]);
    }

    [Fact]
    public async Task Redrive_WhileOneRuns_IsRefusedAndTheFirstCanBeStopped()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        for (int i = 0; i < 5; i++)
        {
            await host.PostAsync(ApiHost.Poison, $"id-{i}");
        }

        (await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{\"all\":true,\"rate\":1}")).Status.ShouldBe(202);
        (await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{\"all\":true,\"rate\":1}")).Status.ShouldBe(409);
        (await host.SendAsync(HttpMethod.Delete, "/api/v1/redrive")).Status.ShouldBe(200);

        JsonElement done = await host.RedrivenAsync();
        done.GetProperty("problem").GetString()!.ShouldContain("stopped");
    }

    [Theory]
    [InlineData("", "token-required", 401)]
    [InlineData("not-the-token-at-all", "token-wrong", 401)]
    public async Task Change_WithoutTheToken_IsRefusedOnLoopbackToo(string token, string error, int status)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "bad");

        foreach (HttpMethod method in new[] { HttpMethod.Post, HttpMethod.Delete })
        {
            (int answered, JsonElement body) = await host.SendAsync(method, "/api/v1/redrive", "{}", token);
            answered.ShouldBe(status);
            body.GetProperty("error").GetString().ShouldBe(error);
        }

        (await host.GetAsync("/api/v1/redrive")).GetProperty("state").GetString().ShouldBe("idle");
    }

    [Theory]
    [InlineData("not json")]
    [InlineData("{\"rate\":0}")]
    [InlineData("{\"rate\":-1}")]
    [InlineData("{\"max\":0}")]
    [InlineData("{\"names\":[null]}")]
    [InlineData("null")]
    public async Task Redrive_MalformedRequest_SaysWhatToSend(string json)
    {
        await using ApiHost host = await ApiHost.StartAsync();

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", json);

        status.ShouldBe(400);
        body.GetProperty("message").GetString()!.ShouldContain("{\"names\":");
    }

    /// <summary>A queue's dead letters have no names of the folder and no records to filter; only they can be moved to the folder.</summary>
    [Theory]
    [InlineData("dead-letters/move", "{\"all\":true}", 400)]
    [InlineData("dead-letters/move", "{\"queue\":{\"route\":\"archive\"}}", 400)]
    [InlineData("dead-letters/discard", "{\"queue\":{\"route\":\"archive\"},\"all\":true}", 400)]
    [InlineData("dead-letters/move", "{\"queue\":{\"route\":\"archive\"},\"all\":true}", 404)]
    [InlineData("redrive", "{\"queue\":{\"route\":\"other\"},\"all\":true}", 404)]
    [InlineData("redrive", "{\"queue\":{},\"all\":true}", 404)]
    public async Task Queue_ThatCannotBeMeant_SaysWhatToSend(string path, string json, int status)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "bad");

        (int answered, JsonElement body) = await host.SendAsync(HttpMethod.Post, $"/api/v1/{path}", json);

        answered.ShouldBe(status);
        body.GetProperty("message").GetString()!.ShouldContain("\"queue\":{\"route\":\"orders\"");
        (await host.GetAsync("/api/v1/redrive")).GetProperty("state").GetString().ShouldBe("idle");
    }

    [Fact]
    public async Task Redrive_BodyThatDoesNotArriveInTime_IsRefusedToo()
    {
        RedriveEndpoints endpoints =
            new(null!, null!, null!, null!, null!, new HttpAnswers(new BufferPool()), null!, TimeProvider.System, NullLogger<RedriveEndpoints>.Instance);
        DefaultHttpContext context = new() { Request = { ContentType = "application/json", ContentLength = 100, Body = new SlowBody() } };

        await endpoints.StartAsync(context);

        context.Response.StatusCode.ShouldBe(400);
    }

    [Fact]
    public async Task Groups_CountEachReasonAndRoute_AndAFilterSelectsOne()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "one");
        await host.PostAsync(ApiHost.Poison, "two");
        await host.PostAsync("{\"n\":1}", "keyless");

        JsonElement list = await host.GetAsync("/api/v1/dead-letters?limit=1");

        JsonElement[] groups = [.. list.GetProperty("groups").EnumerateArray()];
        groups.Select(group => group.GetProperty("count").GetInt32()).ShouldBe([2, 1]);
        groups[0].GetProperty("reason").GetString().ShouldBe("malformed-json");
        list.GetProperty("matching").GetInt32().ShouldBe(3);
        string route = groups[1].GetProperty("route").GetString()!;
        Ids(await host.GetAsync($"/api/v1/dead-letters?reason={groups[1].GetProperty("reason").GetString()}&route={route}")).ShouldBe(["keyless"]);
        Ids(await host.GetAsync("/api/v1/dead-letters?route=none")).ShouldBeEmpty();
    }

    [Fact]
    public async Task Redrive_DryRunOfAReason_CountsAndChangesNothing()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "counted");
        await host.PostAsync("{\"n\":1}", "keyless");

        await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{\"reason\":\"malformed-json\",\"dryRun\":true}");

        JsonElement dry = await host.RedrivenAsync();
        (dry.GetProperty("dryRun").GetBoolean(), dry.GetProperty("found").GetInt32(), dry.GetProperty("left").GetInt32()).ShouldBe((true, 1, 0));
        Ids(await host.GetAsync("/api/v1/dead-letters")).Length.ShouldBe(2);
    }

    [Fact]
    public async Task Discard_AReason_LeavesTheOthers()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "one");
        await host.PostAsync(ApiHost.Poison, "two");
        await host.PostAsync("{\"n\":1}", "keyless");

        (await host.SendAsync(HttpMethod.Post, "/api/v1/dead-letters/discard", "{\"reason\":\"malformed-json\"}")).Status.ShouldBe(202);

        JsonElement done = await host.RedrivenAsync();
        (done.GetProperty("action").GetString(), done.GetProperty("sent").GetInt32()).ShouldBe(("discard", 2));
        JsonElement list = await host.GetAsync("/api/v1/dead-letters");
        Ids(list).ShouldBe(["keyless"]);
        list.GetProperty("discardedDays").GetInt32().ShouldBe(30);
        Directory.GetFiles(Path.Combine(host.Letters, ".discarded"), "*.body", SearchOption.AllDirectories).Length.ShouldBe(2);
        await host.SendAsync(HttpMethod.Post, "/api/v1/redrive", "{\"reason\":\"malformed-json\"}");
        (await host.RedrivenAsync()).GetProperty("found").GetInt32().ShouldBe(0);
    }

    [Fact]
    public async Task Discard_ANameOfNone_FindsNone()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "one");

        await host.SendAsync(HttpMethod.Post, "/api/v1/dead-letters/discard", """{"names":["nope","malformed-json/20260101/nope"],"dryRun":true}""");

        (await host.RedrivenAsync()).GetProperty("found").GetInt32().ShouldBe(0);
    }

    [Fact]
    public async Task Discard_NamesAndAReason_OnlyThoseWithBoth()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "malformed");
        await host.PostAsync("{\"n\":1}", "keyless");
        string[] names = [
            .. (await host.GetAsync("/api/v1/dead-letters")).GetProperty("letters").EnumerateArray().Select(letter => letter.GetProperty("name").GetString()!)];

        await host.SendAsync(HttpMethod.Post, "/api/v1/dead-letters/discard", JsonSerializer.Serialize(new { names, reason = "malformed-json" }));

        (await host.RedrivenAsync()).GetProperty("sent").GetInt32().ShouldBe(1);
        Ids(await host.GetAsync("/api/v1/dead-letters")).ShouldBe(["keyless"]);
    }

    [Theory]
    [InlineData("discard", "{}", 400)]
    [InlineData("discard", "{\"all\":true,\"reason\":\"malformed-json\"}", 400)]
    [InlineData("discard", "{\"filter\":{\"reason\":\"malformed-json\"}}", 400)]
    public async Task Change_WrongRequest_ChangesNothing(string verb, string json, int expected)
    {
        await using ApiHost host = await ApiHost.StartAsync();
        await host.PostAsync(ApiHost.Poison, "kept");

        (int status, JsonElement body) = await host.SendAsync(HttpMethod.Post, $"/api/v1/dead-letters/{verb}", json);

        status.ShouldBe(expected);
        body.GetProperty("message").GetString().ShouldNotBeNullOrEmpty();
        (await host.SendAsync(HttpMethod.Post, $"/api/v1/dead-letters/{verb}", json, token: "")).Status.ShouldBe(401);
        Ids(await host.GetAsync("/api/v1/dead-letters")).ShouldBe(["kept"]);
    }

    private static string[] Ids(JsonElement list) => [.. list.GetProperty("letters").EnumerateArray().Select(letter => letter.GetProperty("id").GetString()!)];

    private static string Name(JsonElement list) => list.GetProperty("letters")[0].GetProperty("name").GetString()!;

    /// <summary>Ends as Kestrel ends a body that arrives too slowly.</summary>
    private sealed class SlowBody : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new BadHttpRequestException("Reading the request body timed out due to data arriving too slowly.", StatusCodes.Status408RequestTimeout);
    }
}
