using System.Collections.Concurrent;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Integration.Tests.Servers;
using Integration.Tests.Worker;
using Microsoft.Playwright;

namespace Integration.Tests.Observability;

/// <summary>The page of a running worker in a real browser, which the tests share.</summary>
public sealed class PageTests(PageBrowser browser) : IClassFixture<PageBrowser>, IAsyncLifetime
{
    private const string Token = "a-token-of-the-tests";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("page-");
    private readonly ConcurrentQueue<string> _complaints = [];
    private readonly ConcurrentQueue<string> _requests = [];
    private RunningWorker? _worker;
    private IBrowserContext? _context;

    private RunningWorker Worker => _worker!;

    public async ValueTask InitializeAsync()
    {
        browser.Require();
        _worker = await StartAsync("--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory");
    }

    public async ValueTask DisposeAsync()
    {
        if (_context is not null)
        {
            await _context.DisposeAsync();
        }

        if (_worker is not null)
        {
            await _worker.DisposeAsync();
        }

        _folder.Delete(recursive: true);
    }

    [Fact]
    public async Task Rates_WhileMessagesArePublished_Move()
    {
        IPage page = await OpenAsync();
        using CancellationTokenSource stop = new();
        Task publishing = PublishAsync(stop.Token);

        await Assertions
            .Expect(page.Locator("article[data-route=archive] [data-part=received] b"))
            .ToHaveTextAsync(new Regex("[1-9]", RegexOptions.None, TimeSpan.FromSeconds(1)));
        await Assertions
            .Expect(page.Locator("article[data-route=archive] [data-part=stored] b"))
            .ToHaveTextAsync(new Regex("[1-9]", RegexOptions.None, TimeSpan.FromSeconds(1)));
        await Assertions.Expect(page.Locator("#problems")).ToHaveAttributeAsync("data-tone", "good");

        await stop.CancelAsync();
        await publishing;
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task PoisonMessage_AppearsWithItsReasonAndIsRedriven()
    {
        IPage page = await OpenAsync();
        (await Worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);

        await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(1);
        await Assertions.Expect(page.Locator("#letters-list li")).ToContainTextAsync("malformed-json");
        await Assertions.Expect(page.Locator("#problem-list li[data-problem=\"5001\"]")).ToContainTextAsync("malformed-json");
        IPage alerts = await page.RunAndWaitForPopupAsync(() => page.Locator("#problem-list li[data-problem=\"5001\"] a").First.ClickAsync());
        await Assertions.Expect(alerts.Locator("body")).ToContainTextAsync("## WorkerDeadLetters");
        await alerts.WaitForFunctionAsync("scrollY > 0");

        // The page is no caller that was refused.
        using HttpClient client = new() { BaseAddress = Worker.Url };
        (await client.GetStringAsync("/api/v1/stats")).ShouldNotContain("unknown-path");

        // As a handler's exception leaves it in the record.
        string record = Directory.GetFiles(Letters, "*.json", SearchOption.AllDirectories).Single();
        JsonObject fields = JsonNode.Parse(await File.ReadAllTextAsync(record))!.AsObject();
        fields["exceptionType"] = "System.FormatException";
        fields["exception"] = "System.FormatException: <b>no date</b>\n   at Orders.Read()";
        await File.WriteAllTextAsync(record, fields.ToJsonString());
        await page.Locator("#letters-list li button").First.ClickAsync();
        await Assertions.Expect(page.Locator("#letter-dialog")).ToHaveAttributeAsync("open", string.Empty);
        await Assertions.Expect(page.Locator("#letter-body")).ToContainTextAsync("Not JSON");
        await Assertions.Expect(page.Locator("#letter-exception")).ToContainTextAsync("<b>no date</b>");
        await Assertions.Expect(page.Locator("#letter-exception")).ToContainTextAsync("at Orders.Read()");
        await page.Locator("#letter-text").ClickAsync();
        await Assertions.Expect(page.Locator("#letter-body")).ToContainTextAsync("{\"broken");
        await page.Locator("#letter-close").ClickAsync();

        // The operator corrects the body and redrives the dead letter.
        string body = Directory.GetFiles(Letters, "*.body", SearchOption.AllDirectories).Single();
        await File.WriteAllTextAsync(body, Message("corrected"));
        page.Dialog += static (_, dialog) => _ = dialog.AcceptAsync();
        await page.Locator("#redrive-all").ClickAsync();
        await page.Locator("#token").FillAsync(Token);
        await page.Keyboard.PressAsync("Enter");

        await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("1");
        await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(0);
        File.Exists(body).ShouldBeFalse();
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task DeadLetters_OfAReason_AreCountedAndDiscarded()
    {
        for (int i = 0; i < 3; i++)
        {
            (await Worker.PostAsync(Encoding.UTF8.GetBytes($"{{\"broken{i}"))).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        }

        (await Worker.PostAsync("{\"n\":1}"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        IPage page = await OpenAsync();
        ILocator groups = page.Locator("#letter-groups li");
        ILocator letters = page.Locator("#letters-list li");
        await Assertions.Expect(groups).ToHaveCountAsync(2);
        await Assertions.Expect(groups.First).ToContainTextAsync("3 dead letters of route archive");
        await groups.First.Locator("button").ClickAsync();
        await Assertions.Expect(letters).ToHaveCountAsync(3);

        // Counted, then discarded.
        await page.Locator("#redrive-dry").CheckAsync();
        await page.Locator("#discard-all").ClickAsync();
        await page.Locator("#token").FillAsync(Token);
        await page.Keyboard.PressAsync("Enter");
        await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("3 dead letters found; nothing was changed.");
        await page.Locator("#redrive-dry").UncheckAsync();

        // What changes all of them asks before.
        ConcurrentQueue<string> asked = [];
        page.Dialog += (_, dialog) =>
        {
            asked.Enqueue(dialog.Message);
            _ = asked.Count == 1 ? dialog.DismissAsync() : dialog.AcceptAsync();
        };
        await page.Locator("#discard-all").ClickAsync();
        await Assertions.Expect(letters).ToHaveCountAsync(3);
        await page.Locator("#discard-all").ClickAsync();
        asked.ShouldBe(["Discard all of malformed-json (3)?", "Discard all of malformed-json (3)?"]);
        await Assertions.Expect(page.Locator("#redrive-text")).ToContainTextAsync("malformed-json: 3 discarded, 0 left");
        await Assertions.Expect(letters).ToHaveCountAsync(0);
        await page.Locator("#letters-reason").SelectOptionAsync(string.Empty);
        await Assertions.Expect(letters).ToHaveCountAsync(1);
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task Markup_InAMessage_IsText()
    {
        const string Markup = "{<img src=/nowhere onerror=\"document.title='owned'\"><script>document.title='owned'</script>";
        (await Worker.PostAsync(Encoding.UTF8.GetBytes(Markup))).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        IPage page = await OpenAsync();

        await page.Locator("#letters-list li button").First.ClickAsync();
        await page.Locator("#letter-text").ClickAsync();

        await Assertions.Expect(page.Locator("#letter-body")).ToContainTextAsync("onerror");
        (await page.Locator("#letter-dialog img, #letter-dialog script").CountAsync()).ShouldBe(0);
        (await page.TitleAsync()).ShouldNotBe("owned");
        AssertNothingUnwanted();
    }

    [Theory]
    [InlineData(360, ColorScheme.Dark)]
    [InlineData(1_440, ColorScheme.Light)]
    public async Task Page_FitsItsWidthAndIsAccessible(int width, ColorScheme scheme)
    {
        (await Worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        IPage page = await OpenAsync(width, scheme);
        await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(1);
        await ChangeAsync("pause", "archive", note: $"the store is moved to {new string('x', 100)}");
        await Assertions.Expect(page.Locator("article [data-part=paused]")).ToBeVisibleAsync();

        (await page.EvaluateAsync<int>("document.documentElement.scrollWidth")).ShouldBeLessThanOrEqualTo(width);
        await page.EvaluateAsync(await File.ReadAllTextAsync(await AxeAsync()));
        string found = await page.EvaluateAsync<string>(
            "axe.run().then(result => JSON.stringify(result.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ': ' + "
                + "v.nodes.map(n => n.target).join(' '))))");
        found.ShouldBe("[]");
    }

    [Fact]
    public async Task Keyboard_Alone_OpensADeadLetterAndReturns()
    {
        (await Worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        IPage page = await OpenAsync();
        await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(1);

        for (int i = 0; i < 60 && !await page.EvaluateAsync<bool>("document.activeElement.matches('#letters-list li button')"); i++)
        {
            await page.Keyboard.PressAsync("Tab");
        }

        await page.Keyboard.PressAsync("Enter");
        await Assertions.Expect(page.Locator("#letter-dialog")).ToHaveAttributeAsync("open", string.Empty);
        await page.Keyboard.PressAsync("Escape");

        await Assertions.Expect(page.Locator("#letter-dialog")).Not.ToHaveAttributeAsync("open", string.Empty);
        (await page.EvaluateAsync<bool>("document.activeElement.matches('#letters-list li button')")).ShouldBeTrue("The focus is back on the list.");
    }

    [Fact]
    public async Task Worker_Stops_ThePageSaysSo()
    {
        IPage page = await OpenAsync();

        (await Worker.StopAsync()).ShouldBe(0);

        await Assertions.Expect(page.Locator("html")).ToHaveAttributeAsync("data-state", "stopped");
        await Assertions.Expect(page.Locator("#connection")).ToBeVisibleAsync();

        // Nothing says that it still receives.
        await Assertions.Expect(page.Locator("#problems-title")).ToHaveTextAsync("Stopped");
        await Assertions.Expect(page.Locator("#problems-none")).Not.ToContainTextAsync("receive");
        await Assertions.Expect(page.Locator("article[data-route=archive] .state")).ToHaveTextAsync("Not known now");
    }

    [Fact]
    public async Task RefusedCallers_AreCounted()
    {
        IPage page = await OpenAsync();
        await Assertions.Expect(page.Locator("#problems-none")).ToContainTextAsync("1 route receives; no dead letter waits in the folder.");
        for (int i = 0; i < 3; i++)
        {
            (await Worker.PostAsync(new byte[(1 << 20) + 1])).Status.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        }

        await Assertions.Expect(page.Locator("article[data-route=archive] [data-part=source]")).ToContainTextAsync("3 HTTP requests refused since the start");
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task Problem_HasItsCommand_AndLinksToItsPageAndEvent()
    {
        await Worker.DisposeAsync();
        _worker = await StartAsync("--Routes:archive:Source=Http", "--Routes:archive:Sink=Memory", "--Hosting:DocsUrl=https://docs.example.com/{page}.html");
        (await Worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        IPage page = await OpenAsync();

        ILocator card = page.Locator("#problem-list li[data-problem=\"5001\"]");
        await Assertions
            .Expect(card.Locator("code"))
            .ToHaveTextAsync(new Regex("(/Worker|/Worker.dll) dead-letters redrive --reason malformed-json --dry-run$"));
        await Assertions.Expect(card).ToContainTextAsync("docs/guides/alerts.md#workerdeadletters, event 5001 in the log");
        await Assertions.Expect(card.Locator("a").First).ToHaveAttributeAsync("href", "https://docs.example.com/guides/alerts.html#workerdeadletters");
        await Assertions.Expect(card.Locator("a").Nth(1)).ToHaveAttributeAsync("href", "https://docs.example.com/reference/events.html");
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task Summary_CountsTheRoutesThatReceive_AndClaimsNothingOfDeadLettersItDoesNotKnow()
    {
        IPage page = await OpenAsync();
        const string Summary = """
            async () => {
              const { keyOf, summaryOf } = await import('/model.js');
              const route = (name, isReceiving, problems = []) => ({ name, isReceiving, problems });
              const of = routes => summaryOf({ routes, problems: [], stopping: false, waitingDeadLetters: null });
              const line = ({ title, tone, text }) => [title, tone, text].join('|');
              const both = ['failure', 'warning'].map(severity => ({ event: 1003, severity, setting: 'Sources:Sqs' }));
              return [
                line(of([route('a', true), route('b', true)])), line(of([route('a', true), route('b', false)])), line(of([route('a', false, both)])),
                String(new Set(both.map(keyOf)).size),
              ].join('\n');
            }
            """;

        (await page.EvaluateAsync<string>(Summary)).Split('\n').ShouldBe(
        [
            "Nothing is wrong|good|2 routes receive.",
            "Not receiving: b|warn|1 route receives.",
            "1 failure, 1 warning: a|bad|",
            "2",
        ]);
    }

    [Fact]
    public async Task Charts_AreOfTheLast15Minutes_AndReadOnlyWhileTheyAreOpen()
    {
        IPage page = await OpenAsync();
        ILocator chart = page.Locator("figure[data-chart='archive/rates'] svg");
        await Assertions.Expect(page.Locator("details[open]")).ToHaveCountAsync(0);
        await Assertions.Expect(chart).Not.ToBeVisibleAsync();
        _requests.ShouldNotContain(request => request.Contains("/history"), "It is for charts.");
        await page.Locator("article[data-route=archive] summary").ClickAsync();
        await Assertions.Expect(chart).ToBeVisibleAsync();
        await Assertions.Expect(chart).ToHaveAttributeAsync("aria-label", new Regex("last 15 minutes:"));
        AssertNothingUnwanted();
    }

    [Fact]
    public async Task DeadLetters_OfAnEarlierRun_WaitUntilTheyAreGone()
    {
        (await Worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        (await Worker.StopAsync()).ShouldBe(0);
        await Worker.DisposeAsync();
        _worker = await StartAsync("--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory");

        IPage page = await OpenAsync();

        ILocator card = page.Locator("#problem-list li[data-problem=\"5001\"]");
        await Assertions.Expect(card).ToContainTextAsync("1 dead letter waits: ");
        await Assertions.Expect(card).ToContainTextAsync("malformed-json (1)");
        await Assertions.Expect(card.Locator(".action")).ToContainTextAsync("redrive");

        // Another process deletes it.
        foreach (string file in Directory.GetFiles(Letters, "*.*", SearchOption.AllDirectories))
        {
            File.Delete(file);
        }

        await Assertions.Expect(card).ToHaveCountAsync(0);
        await Assertions.Expect(page.Locator("#problems-none")).ToContainTextAsync("no dead letter waits");
        await Assertions.Expect(page.Locator("#letters-list li")).ToHaveCountAsync(0);
    }

    [Fact]
    public async Task FailingRoute_IsFirst_AndSaysWhatToDo()
    {
        await Worker.DisposeAsync();
        _worker = await StartAsync(
            "--Routes:first:Source=Http", "--Routes:first:Sink=Memory", "--Routes:second:Source=Http", "--Routes:second:Sink=Memory",
            "--Routes:third:Source=Http", "--Routes:third:Sink=Memory",
            "--Routes:last:Source=Http", "--Routes:last:Sink=S3", "--Sinks:S3:Bucket=nowhere", $"--Aws:Endpoint=http://127.0.0.1:{FreePort.Next()}",
            "--Aws:Region=eu-central-1", "--Aws:AccessKeyId=a", "--Aws:SecretAccessKey=s");
        IPage page = await OpenAsync();

        await Assertions.Expect(page.Locator("#problem-list li[data-route=last]").First).ToBeVisibleAsync();

        await Assertions.Expect(page.Locator("article").First).ToHaveAttributeAsync("data-route", "last");
        (await page.Locator("article").EvaluateAllAsync<string[]>("all => all.map(one => one.dataset.route)")).ShouldBe(["last", "first", "second", "third"]);
        await Assertions.Expect(page.Locator("#problem-list li[data-route=last] .action").First).Not.ToBeEmptyAsync();

        // Four routes fit 1,300 pixels, the problem included.
        (await page.Locator("#routes").EvaluateAsync<double>("section => section.getBoundingClientRect().bottom")).ShouldBeLessThan(1_300);
    }

    [Fact]
    public async Task Route_PausedOnThePage_IsShownWithItsNoteUntilItIsResumed()
    {
        IPage page = await OpenAsync();
        ILocator route = page.Locator("article[data-route=archive]");
        await route.Locator(".facts button").ClickAsync();
        await page.Locator("#pause-note").FillAsync("<b>the store is moved</b>");
        await page.Locator("#pause-dialog button").First.ClickAsync();
        await page.Locator("#token").FillAsync(Token);
        await page.Keyboard.PressAsync("Enter");

        await Assertions.Expect(route.Locator(".state")).ToHaveTextAsync("Paused");
        await Assertions.Expect(page.Locator("#problem-list li[data-problem=\"1016\"]")).ToContainTextAsync("<b>the store is moved</b>");
        await Assertions.Expect(page.Locator("#problems")).ToHaveAttributeAsync("data-tone", "warn");
        await Assertions.Expect(route.Locator("[data-part=paused]")).ToBeVisibleAsync();
        await Assertions
            .Expect(route.Locator("[data-part=paused]"))
            .ToHaveTextAsync(new Regex(@"^since \d\d:\d\d:\d\d \(\d+ s\), by the API, from 127\.0\.0\.1: <b>the store is moved</b>$"));
        (await Worker.PostAsync(Encoding.UTF8.GetBytes(Message("one")))).Status.ShouldBe(HttpStatusCode.ServiceUnavailable);
        await route.Locator(".facts button").ClickAsync();

        await Assertions.Expect(route.Locator(".state")).ToHaveTextAsync("Receiving");
        await Assertions.Expect(page.Locator("#problem-list li[data-problem=\"1016\"]")).ToHaveCountAsync(0);
        await Assertions.Expect(route.Locator("[data-part=paused]")).ToBeHiddenAsync();
        (await Worker.PostAsync(Encoding.UTF8.GetBytes(Message("one")))).Status.ShouldBe(HttpStatusCode.OK);
    }

    [Fact]
    public async Task FourHealthyRoutes_FitOneScreen()
    {
        await Worker.DisposeAsync();
        _worker = await StartAsync(
            [.. new[] { "first", "second", "third", "last" }.SelectMany(
                name => (string[])[$"--Routes:{name}:Source=Http", $"--Routes:{name}:Sink=Directory"])]);
        using HttpClient client = new() { BaseAddress = Worker.Url };
        using (StringContent message = new(Message("one"), Encoding.UTF8, "application/json"))
        {
            (await client.PostAsync("/messages/first", message)).StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        IPage page = await OpenAsync();

        await Assertions.Expect(page.Locator("article")).ToHaveCountAsync(4);
        await Assertions.Expect(page.Locator("article").First.Locator("[data-part=handler]")).ToContainTextAsync("processing p50");

        (await page.Locator("#routes").EvaluateAsync<double>("section => section.getBoundingClientRect().bottom")).ShouldBeLessThanOrEqualTo(900);
        (await page.Locator("#routes details[open]").CountAsync()).ShouldBe(0);
    }

    [Fact]
    public async Task Configuration_ListsOnlyWhatDiffersFromTheDefault()
    {
        IPage page = await OpenAsync();

        await Assertions.Expect(page.Locator("#configuration-list [data-row='DeadLetters:Path']")).ToHaveCountAsync(1);
        // The file beside the program sets it to its default.
        await Assertions.Expect(page.Locator("#configuration-list [data-row='Sources:Channel:Capacity']")).ToHaveCountAsync(0);
        await Assertions.Expect(page.Locator("#configuration-list [data-row='Sources:Http:MaxMessageBytes']")).ToHaveCountAsync(0);
        await page.Locator("#configuration-changed").ClickAsync();
        await Assertions.Expect(page.Locator("#configuration-list [data-row='Sources:Http:MaxMessageBytes']")).ToHaveCountAsync(1);
    }

    [Fact]
    public async Task Figures_NameTheirWindow_AndColumnsAreApart()
    {
        IPage page = await OpenAsync();
        ILocator route = page.Locator("article[data-route=archive]");
        await route.Locator("summary").ClickAsync();

        await Assertions.Expect(route.Locator("[data-part=received]")).ToContainTextAsync("last 10 s");
        await Assertions.Expect(route.Locator("[data-part=source]")).ToContainTextAsync("since the start");
        await Assertions.Expect(route.Locator("[data-part=dead-letters]")).ToContainTextAsync("(last 10 s)");
        double[] edges = await page.EvaluateAsync<double[]>("""
            () => [...document.querySelectorAll('article thead th')].flatMap(th => {
              const text = document.createRange();
              text.selectNodeContents(th);
              const box = text.getBoundingClientRect();
              return [box.left, box.right];
            })
            """);
        (edges[2] - edges[1]).ShouldBeGreaterThan(8);
    }

    private string Letters => Path.Combine(_folder.FullName, "letters");

    private Task<RunningWorker> StartAsync(params IEnumerable<string> routes) => RunningWorker.StartAsync(
        [.. routes, $"--Sinks:Directory:Path={Path.Combine(_folder.FullName, "objects")}", $"--DeadLetters:Path={Letters}", $"--Hosting:Token={Token}"]);

    private static string Message(string id) =>
        $$"""{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"{{id}}"}""";

    /// <summary>The script of axe-core, which the lock file of tests/page pins.</summary>
    private static async Task<string> AxeAsync()
    {
        string folder = RepositoryFolder.Combine("tests", "page");
        await NodeRuntime.InstallPackagesAsync(folder);
        return Path.Combine(folder, "node_modules", "axe-core", "axe.min.js");
    }

    private async Task<IPage> OpenAsync(int width = 1_440, ColorScheme scheme = ColorScheme.Light)
    {
        _context = await browser
            .Require()
            .NewContextAsync(new BrowserNewContextOptions { ViewportSize = new ViewportSize { Width = width, Height = 900 }, ColorScheme = scheme });
        IPage page = await _context.NewPageAsync();
        page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning")
            {
                _complaints.Enqueue(message.Text);
            }
        };
        page.PageError += (_, error) => _complaints.Enqueue(error);
        page.Request += (_, request) => _requests.Enqueue(request.Url);
        await page.GotoAsync(Worker.Url.ToString());
        await Assertions.Expect(page.Locator("html")).ToHaveAttributeAsync("data-state", "live");
        return page;
    }

    /// <summary>Pauses or resumes a route from elsewhere.</summary>
    private async Task ChangeAsync(string what, string route, string? note = null, string token = Token)
    {
        using HttpClient client = new() { BaseAddress = Worker.Url, DefaultRequestHeaders = { Authorization = new("Bearer", token) } };
        using StringContent body = new(JsonSerializer.Serialize(new { route, note }), Encoding.UTF8, "application/json");
        (await client.PostAsync($"/api/v1/routes/{what}", body)).Dispose();
    }

    private async Task PublishAsync(CancellationToken stop)
    {
        for (int i = 0; !stop.IsCancellationRequested; i++)
        {
            await Worker.PostAsync(Encoding.UTF8.GetBytes(Message($"m-{i}")), cancellationToken: CancellationToken.None);
            await Task.Delay(20, CancellationToken.None);
        }
    }

    private void AssertNothingUnwanted()
    {
        _complaints.ShouldBeEmpty();
        _requests.ShouldNotBeEmpty();
        _requests.ShouldAllBe(request => request.StartsWith(Worker.Url.ToString(), StringComparison.Ordinal), "The page sends requests to the worker only.");
    }
}
