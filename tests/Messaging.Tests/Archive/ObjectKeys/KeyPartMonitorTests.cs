using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Text;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>A missing part of a key is counted per property and reason, and the first of each is logged.</summary>
public sealed class KeyPartMonitorTests
{
    private const string Template = "{Product}/{tenant.id:keep}/{at:yyyy}/{MessageId}";

    private readonly List<string> _log = [];

    [Fact]
    public void TryWrite_PropertyInAnotherCase_IsLoggedOnceWithItsName()
    {
        Run run = new(new ArchiveOptions { Template = Template }, _log);

        run.Key("""{"MessageId":"1","product":"p","tenant":{"ID":"t"},"at":"2026-11-21"}""").ShouldBe("unknown/unknown/2026/1");
        run.Key("""{"MessageId":"2","product":"p","tenant":{"ID":"t"},"at":"2026-11-21"}""").ShouldBe("unknown/unknown/2026/2");

        run.Monitor.Describe().ShouldBe("Product missing 2, tenant.id missing 2");
        _log.Count.ShouldBe(2);
        _log[0].ShouldStartWith("Route orders: a message has no Product (it has \"product\": names are case-sensitive); its part of the key is \"unknown\"");
        _log[1].ShouldStartWith("Route orders: a message has no tenant.id (it has \"ID\": names are case-sensitive); its part of the key is \"unknown\"");
    }

    [Fact]
    public void TryWrite_EachKindAndProperty_IsCountedOnItsOwn()
    {
        Run run = new(new ArchiveOptions { Template = Template }, _log);

        run.Key("""{"MessageId":"1","Product":"acme-corp","tenant":{"id":"a b"}}""").ShouldBe("invalid/invalid/1");
        run.Key("""{"MessageId":"2","Product":"p","tenant":null,"at":"0001-01-01T00:00:00"}""").ShouldBe("p/unknown/2");
        run.Key("""{"MessageId":"3","Product":"p","tenant":{"id":"t"},"at":"2026-11-21"}""").ShouldBe("p/t/2026/3");

        run.Monitor.Describe().ShouldBe("Product invalid 1, tenant.id missing 1, tenant.id invalid 1, at missing 2");
        _log.Count.ShouldBe(4);
        _log.ShouldContain(line => line.Contains("no at; the levels of the date are left out"));
        _log.ShouldContain(line => line.Contains("the value of tenant.id does not fit the rule keep; its part of the key is \"invalid\""));
    }

    [Fact]
    public void TryWrite_NothingMissing_LogsNothing()
    {
        Run run = new(new ArchiveOptions { Template = Template }, _log);

        run.Key("""{"MessageId":"3","Product":"p","tenant":{"id":"t"},"at":"2026-11-21"}""").ShouldBe("p/t/2026/3");

        run.Monitor.Describe().ShouldBeNull();
        _log.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(
        """{"MessageId":"1","Product":"p","at":"2026-11-21"}""", "missing-property at byte 0, property \"tenant.id\"", "such messages are dead-lettered")]
    [InlineData(
        """{"MessageId":"1","Product":"p","tenant":{"id":""},"at":"2026-11-21"}""", "missing-property at byte 46, property \"tenant.id\"",
        "such messages are dead-lettered")]
    [InlineData("""{"MessageId":"1","Product":"p","tenant":{"id":"t"}}""", "missing-property at byte 0, property \"at\"", "such messages are dead-lettered")]
    [InlineData(
        """{"MessageId":"1","Product":"p","tenant":{"id":"a b"},"at":"2026-11-21"}""", "invalid-value at byte 46, property \"tenant.id\"",
        "such messages are dead-lettered")]
    [InlineData(
        """{"MessageId":"1","Product":"a-b","tenant":{"id":"t"},"at":"2026-11-21"}""", "invalid-value at byte 27, property \"Product\"",
        "such messages are dead-lettered")]
    public void TryWrite_RuleIsDeadLetter_IsPoisonAndCounted(string body, string poison, string logged)
    {
        Run run = new(
            new ArchiveOptions { Template = Template, MissingProperty = MissingPropertyRule.DeadLetter, InvalidValue = InvalidValueRule.DeadLetter }, _log);

        run.Key(body).ShouldBe(poison);

        run.Monitor.Describe().ShouldNotBeNull().ShouldEndWith(" 1");
        _log.Single().ShouldContain(logged);
    }

    [Fact]
    public void TryWrite_RuleIsEncode_EscapesTheValue()
    {
        Run run = new(new ArchiveOptions { Template = Template, InvalidValue = InvalidValueRule.Encode }, _log);

        run.Key("""{"MessageId":"1","Product":"Acme-Corp","tenant":{"id":".."},"at":"2026-11-21"}""").ShouldBe("Acme-Corp/=2e=2e/2026/1");

        run.Monitor.Describe().ShouldBe("Product invalid 1, tenant.id invalid 1");
    }

    [Fact]
    public void CountMissing_Metric_HasRoutePropertyAndReason()
    {
        string route = $"route-{Guid.NewGuid():N}";
        ConcurrentQueue<string> measured = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.keys.part_faults")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            Dictionary<string, object?> all = new(tags.ToArray(), StringComparer.Ordinal);
            if (Equals(all["worker.route"], route))
            {
                measured.Enqueue($"{all["worker.property"]} {all["worker.reason"]} {value}");
            }
        });
        listener.Start();
        Run run = new(new ArchiveOptions { Template = Template }, _log, route);

        run.Key("""{"MessageId":"1","Product":"a-b","at":"2026-11-21"}""");

        measured.ShouldBe(["Product invalid 1", "tenant.id missing 1"]);
    }

    [Theory]
    [InlineData("{at:epochms:yyyy/MM}", "1795256130", "1970/01", "1970-01-21T18:40:56Z, before 1990", "As seconds the value is 2026-11-21T")]
    [InlineData("{at:epochms:yyyy/MM}", "\"1795256130\"", "1970/01", "before 1990", "use the rule epoch instead of epochms")]
    [InlineData("{at:epochms:yyyy/MM}", "0", "1970/01", "before 1990", null)]
    [InlineData("{at:epoch:yyyy/MM}", "100000000000", "5138/11", "more than a year after this machine's clock (2026-11-26)", null)]
    [InlineData("{at:epoch:yyyy/MM}", "179525613000", "7658/", "more than a year after", null)]
    [InlineData("{at:epoch:yyyy/MM}", "157784630000", "6969/", "more than a year after", null)]
    [InlineData("{at:epoch:yyyy/MM}", "-5", "1969/12", "before 1990", null)]
    [InlineData("{at:epoch:yyyy/MM}", "1827316801", "2027/11", "more than a year after", null)]
    [InlineData("{at:yyyy/MM/dd}", "\"1970-01-21\"", "1970/01/21", "1970-01-21T00:00:00Z, before 1990", null)]
    [InlineData("{at:yyyy/MM/dd}", "\"1989-12-31T23:59:59Z\"", "1989/12/31", "before 1990", null)]
    [InlineData("{at:yyyy/MM/dd}", "\"0001-01-01T00:00:01\"", "0001/01/01", "before 1990", null)]
    [InlineData("{at:yyyy/MM/dd}", "\"2027-11-26T12:00:01Z\"", "2027/11/26", "more than a year after", null)]
    [InlineData("{at:yyyy/MM/dd}", "\"9999-12-31\"", "9999/12/31", "more than a year after", null)]
    public void TryWrite_ImplausibleDate_IsStoredCountedAndLogged(string level, string value, string prefix, string why, string? suggestion)
    {
        Run run = new(new ArchiveOptions { Template = level + "/{MessageId}" }, _log);

        run.Key($$"""{"MessageId":"1","at":{{value}}}""").ShouldStartWith(prefix);

        run.Monitor.Describe().ShouldBe("at implausible 1");
        string line = _log.ShouldHaveSingleItem();
        line.ShouldStartWith("Route orders: the date of at is ");
        line.ShouldContain(why);
        line.Contains(suggestion ?? "use the rule", StringComparison.Ordinal).ShouldBe(suggestion is not null, line);
    }

    [Theory]
    [InlineData("{at:epoch:yyyy/MM}", "1795256130")]
    [InlineData("{at:epochms:yyyy/MM}", "1795256130000")]
    [InlineData("{at:yyyy/MM}", "\"1990-01-01\"")]
    [InlineData("{at:yyyy/MM}", "\"2027-11-26T12:00:00Z\"")]
    [InlineData("{at:yyyy/MM}", "\"2027-01-01\"")]
    [InlineData("{at:yyyy/MM}", "\"0001-01-01T00:00:00\"")]
    public void TryWrite_PlausibleOrNoDate_IsNotImplausible(string level, string value)
    {
        Run run = new(new ArchiveOptions { Template = level + "/{MessageId}" }, _log);

        run.Key($$"""{"MessageId":"1","at":{{value}}}""");

        (run.Monitor.Describe() ?? string.Empty).ShouldNotContain("implausible");
        _log.Where(line => line.Contains("date of at is")).ShouldBeEmpty();
    }

    [Fact]
    public void TryWrite_ManyImplausibleDates_AreLoggedFromTimeToTimeAndAllCounted()
    {
        Run run = new(new ArchiveOptions { Template = "{at:epochms:yyyy}/{other:yyyy}/{at:epochms:MM}/{MessageId}" }, _log);
        for (int i = 0; i < 100; i++)
        {
            run.Key($$"""{"MessageId":"{{i}}","at":1795256130,"other":"2026-11-21"}""");
        }

        run.Time.Advance(TimeSpan.FromMinutes(10));
        run.Key("""{"MessageId":"x","at":1795256130,"other":"1980-01-01"}""");

        run.Monitor.Describe().ShouldBe("at implausible 101, other implausible 1");
        _log.Count.ShouldBe(3);
        _log[1].ShouldEndWith("(99 similar lines suppressed)");
    }

    // The year in which the worker started is no limit: the clock is read again for a date after it.
    [Fact]
    public void TryWrite_YearsAfterTheStart_ComparesWithTheClockOfThen()
    {
        Run run = new(new ArchiveOptions { Template = "{at:yyyy}/{MessageId}" }, _log);
        _ = run.Monitor;
        run.Time.Advance(TimeSpan.FromDays(3 * 366));

        run.Key("""{"MessageId":"1","at":"2029-11-21"}""");

        run.Monitor.Describe().ShouldBeNull();
    }

    private sealed class Run(ArchiveOptions options, List<string> log, string route = "orders") : ILogger
    {
        private readonly KeyTemplate _template = KeyRun.Compile(options);

        public ManualTimeProvider Time { get; } = new(new DateTimeOffset(2026, 11, 26, 12, 0, 0, TimeSpan.Zero));

        public KeyPartMonitor Monitor => field ??= new KeyPartMonitor(route, _template.Properties, options, Time, this);

        public string Key(string body)
        {
            ArchiveHeader header = new();
            using PooledBuffer key = BufferPool.Shared.Rent(_template.LongestKeyBytes);
            _template.CreateReader(BodyValidation.Full).TryRead(Encoding.UTF8.GetBytes(body), header, out Poison poison).ShouldBeTrue(poison.ToString());
            string result = _template.TryWrite(header, default, key, out poison, Monitor) ? Encoding.ASCII.GetString(key.WrittenSpan) : poison.ToString();
            header.Reset();
            return result;
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            logLevel.ShouldBe(LogLevel.Warning);
            log.Add(formatter(state, exception));
        }
    }
}
