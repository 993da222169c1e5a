using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Aws.S3;

/// <summary>What a message gives its object is made to fit S3's limits; every loss is counted and logged.</summary>
public sealed class S3ObjectPropertiesTests
{
    private readonly RecordingLog _log = new();
    private readonly ManualTimeProvider _time = new();

    [Fact]
    public void Fit_WhatS3Takes_IsAddedToTheConfiguredAndLosesNothing()
    {
        S3SinkOptions options =
            new() { Metadata = new Dictionary<string, string> { ["Producer"] = "a" }, Tags = new Dictionary<string, string> { ["team"] = "b" } };

        (ObjectProperties fitted, string[] losses) =
            Fit(options, new ObjectProperties { Metadata = [new("City", "Zürich")], Tags = [new("tenant", "größe 1/2")] });

        fitted.Metadata.ShouldBe([new("producer", "a"), new("city", "=?UTF-8?B?WsO8cmljaA==?=")]);
        fitted.Tags.ShouldBe([new("team", "b"), new("tenant", "größe 1/2")]);
        losses.ShouldBeEmpty();
        _log.Entries.ShouldBeEmpty();
    }

    [Fact]
    public void Fit_TagOfOtherCharactersAndTooLong_IsChangedAndCountedByReason()
    {
        (ObjectProperties fitted, string[] losses) =
            Fit(new S3SinkOptions(), new ObjectProperties { Tags = [new("a", "x;y"), new("b", new string('z', 257)), new("c", new string(';', 300))] });

        fitted.Tags.ShouldBe([new("a", "x_y"), new("b", new string('z', 256)), new("c", new string('_', 256))]);
        losses.ShouldBe(["a replaced", "b cut", "c replaced", "c cut"]);
        _log.Entries.ShouldHaveSingleItem("One line a minute.").Text.ShouldBe(
            "Route orders: the tag a of an object was changed: characters that S3 does not allow became _; "
                + "the object is stored (metric worker.sink.property_losses)");
        _log.Entries[0].Id.Id.ShouldBe(4107);
    }

    [Fact]
    public void Fit_MoreMetadataThan2048Bytes_LeavesOutThoseThatDoNotFit()
    {
        (ObjectProperties fitted, string[] losses) = Fit(
            new S3SinkOptions { Metadata = new Dictionary<string, string> { ["x"] = new string('v', 999) } },
            new ObjectProperties
            { Metadata = [new("a", new string('v', 900)), new("big", new string('ü', 60)), new("b", new string('v', 146)), new("c", "")] });

        fitted.Metadata.Select(entry => entry.Key).ShouldBe(["x", "a", "b"]);
        fitted.Metadata.Sum(entry => entry.Key.Length + entry.Value.Length).ShouldBe(2_048);
        losses.ShouldBe(["big left_out", "c left_out"]);
    }

    [Fact]
    public void Fit_NamesThatS3DoesNotAllowOrThatAreTaken_AreLeftOut()
    {
        S3SinkOptions options =
            new() { Metadata = new Dictionary<string, string> { ["Team"] = "a" }, Tags = new Dictionary<string, string> { ["team"] = "b" } };
        KeyValuePair<string, string>[] tags = [.. Enumerable.Range(0, 10).Select(i => new KeyValuePair<string, string>($"t{i}", "v"))];

        (ObjectProperties fitted, string[] losses) = Fit(
            options,
            new ObjectProperties
            {
                Metadata = [new("team", "x"), new("a b", "x"), new("", "x"), new("a:b\r\nx-amz-acl", "x")],
                Tags = [new("team", "x"), new("aws:a", "x"), new("a;", "x"), .. tags]
            });

        fitted.Metadata.ShouldBe([new("team", "a")]);
        fitted.Tags.Select(tag => tag.Key).ShouldBe(["team", .. tags.Take(9).Select(tag => tag.Key)]);
        losses.ShouldBe(
            ["team left_out", "a b left_out", " left_out", "a:b\r\nx-amz-acl left_out", "team left_out", "aws:a left_out", "a; left_out", "t9 left_out"]);
        _log.Entries.ShouldHaveSingleItem("One line a minute.");
    }

    [Fact]
    public void Fit_LossesAfterAMinute_AreLoggedAgainWithTheNumberBetween()
    {
        S3ObjectProperties properties = new(new S3SinkOptions(), "orders", _log, _time);
        ObjectProperties given = new() { Tags = [new("a", ";")] };
        properties.Fit(given);
        properties.Fit(given);
        _time.Advance(TimeSpan.FromMinutes(1));

        properties.Fit(given);

        _log.Entries.Count.ShouldBe(2);
        _log.Entries[1].Text.ShouldEndWith("(1 similar lines suppressed)");
    }

    [Fact]
    public void FindProblems_PropertiesOfAHandler_AreCheckedWithTheConfigured()
    {
        S3SinkOptions options = new()
        {
            Metadata = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase) { ["Team"] = "a" },
            Tags = Enumerable.Range(0, 9).ToDictionary(i => $"t{i}", _ => "v", StringComparer.OrdinalIgnoreCase)
        };

        Problems(options, (ObjectPropertyKind.Metadata, "city", null), (ObjectPropertyKind.Tag, "team", null)).ShouldBeEmpty();
        Problems(options, (ObjectPropertyKind.Metadata, "team", null))
            .ShouldHaveSingleItem()
            .ShouldStartWith("S:team: is set for every object by Sinks:S3:Metadata:team");
        Problems(options, (ObjectPropertyKind.Tag, "T1", null)).ShouldHaveSingleItem().ShouldStartWith("S:T1: is set for every object by Sinks:S3:Tags:T1");
        Problems(options, (ObjectPropertyKind.Metadata, "my city", null)).ShouldHaveSingleItem().ShouldContain("must be a header's name");
        Problems(options, (ObjectPropertyKind.Tag, "aws:a", null)).ShouldHaveSingleItem().ShouldContain("must not begin with aws:");
        Problems(options, (ObjectPropertyKind.Tag, "a", "x;y")).ShouldHaveSingleItem().ShouldContain("must have at most 256 letters");
        Problems(options, (ObjectPropertyKind.Tag, "a", null), (ObjectPropertyKind.Tag, "b", null))
            .ShouldHaveSingleItem()
            .ShouldStartWith("S:b: must be one of at most 10 tags of an object, those of Sinks:S3 included; these are 11.");
        Problems(options, (ObjectPropertyKind.Metadata, "a", new string('v', 2_042))).ShouldBeEmpty();
        Problems(options, (ObjectPropertyKind.Metadata, "a", new string('v', 2_043)))
            .ShouldHaveSingleItem()
            .ShouldContain("at most 2,048 bytes of names and fixed values; these have 2,049");
        Problems(
            new S3SinkOptions(), (ObjectPropertyKind.Metadata, "a", new string('v', 1_500)), (ObjectPropertyKind.Metadata, "b", new string('v', 1_500)))
            .ShouldHaveSingleItem()
            .ShouldStartWith("S:b: must, together with the other metadata of the object");
    }

    private static string[] Problems(S3SinkOptions options, params (ObjectPropertyKind Kind, string Name, string? Value)[] properties) =>
        [.. S3ObjectProperties
            .FindProblems(
                options, [.. properties.Select(property => new ObjectPropertyPlan($"S:{property.Name}", property.Kind, property.Name, property.Value))])
            .Select(error => (error with { Value = null }).ToString())];

    private (ObjectProperties Fitted, string[] Losses) Fit(S3SinkOptions options, ObjectProperties given)
    {
        // The meter is shared with other tests: only this route counts.
        string route = "orders";
        ConcurrentQueue<(object? Route, string Loss, long Value)> losses = [];
        using MeterListener listener = new()
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Meter.Name == RouteMetrics.SourceName && instrument.Name == "worker.sink.property_losses")
                {
                    listener.EnableMeasurementEvents(instrument);
                }
            },
        };
        int thread = Environment.CurrentManagedThreadId;
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            if (Environment.CurrentManagedThreadId == thread)
            {
                Dictionary<string, object?> all = new(tags.ToArray(), StringComparer.Ordinal);
                losses.Enqueue((all["worker.route"], $"{all["worker.property"]} {all["worker.reason"]}", value));
            }
        });
        listener.Start();
        ObjectProperties fitted = new S3ObjectProperties(options, route, _log, _time).Fit(given);
        losses.Where(loss => !Equals(loss.Route, route) || loss.Value != 1).ShouldBeEmpty();
        return (fitted, [.. losses.Select(loss => loss.Loss)]);
    }
}
